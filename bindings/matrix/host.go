// The host of the matrix of languages, in Go. What every host does is in `README.md`.
package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"toolmesh"
)

type object = map[string]any

// event is what `sends` is given.
type event struct {
	Event toolmesh.ToolEvent `json:"event"`
}

// seen are the calls of `waits`: how many began, and when those that were cancelled saw it, in microseconds since 1970.
type seen struct {
	mutex     sync.Mutex
	began     int
	cancelled []int64
}

func (s *seen) with(work func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	work()
}

func main() {
	node := must(toolmesh.Start(context.Background(), toolmesh.Options{
		Name: "host", Key: must(hex.DecodeString(os.Args[1])),
	}))
	defer node.Close()
	serveUnary(node)
	serveStreaming(node)
	serveWaits(node)
	fmt.Println(must(node.ListensAt())[0])
	// It is over when nobody holds the other end any more.
	must(io.Copy(io.Discard, os.Stdin))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}

// described is a tool that takes any object and gives any value.
func described(name string) toolmesh.ToolDescriptor {
	return must(toolmesh.DescriptorFor(toolmesh.ToolOptions{
		Name: name, InputSchema: object{"type": "object"}, OutputSchema: object{},
	}))
}

func serveUnary(node *toolmesh.Node) {
	same := func(_ context.Context, given object) (object, error) { return given, nil }
	refuses := func(context.Context, object) (object, error) { return nil, toolmesh.ToolErrorf("no such city") }
	large := described("large")
	schema := `{"type":"object","$comment":"` + strings.Repeat("x", 100_000) + `"}`
	large.InputSchema = &schema
	must(toolmesh.RegisterTool(node, described("same"), same))
	must(toolmesh.RegisterTool(node, described("refuses"), refuses))
	must(toolmesh.RegisterTool(node, large, same))
}

func serveStreaming(node *toolmesh.Node) {
	steps := func(_ context.Context, _ object, sink *toolmesh.ToolEventSink) error {
		if err := sink.Progress(50, "half"); err != nil {
			return err
		}
		for n := 1; n <= 2; n++ {
			if err := sink.Delta(object{"n": n}); err != nil {
				return err
			}
		}
		return sink.Result(object{"done": true})
	}
	sends := func(_ context.Context, given event, sink *toolmesh.ToolEventSink) error {
		if err := sink.Send(given.Event); err != nil || given.Event.IsTerminal() {
			return err
		}
		return sink.Result(nil)
	}
	must(toolmesh.RegisterStreamingTool(node, described("steps"), steps))
	must(toolmesh.RegisterStreamingTool(node, described("sends"), sends))
}

func serveWaits(node *toolmesh.Node) {
	var calls seen
	waits := func(ctx context.Context, _ object) (object, error) {
		calls.with(func() { calls.began++ })
		<-ctx.Done()
		now := time.Now().UnixMicro()
		calls.with(func() { calls.cancelled = append(calls.cancelled, now) })
		return nil, ctx.Err()
	}
	told := func(context.Context, object) (told object, _ error) {
		calls.with(func() { told = object{"began": calls.began, "cancelled": append([]int64{}, calls.cancelled...)} })
		return told, nil
	}
	must(toolmesh.RegisterTool(node, described("waits"), waits))
	must(toolmesh.RegisterTool(node, described("seen"), told))
}
