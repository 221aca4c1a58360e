// The caller of the matrix of languages, in Go. What every caller does is in `README.md`.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"toolmesh"
)

const tools = 7

type object = map[string]any

// failure is how a call failed.
type failure struct {
	Kind    toolmesh.Kind `json:"kind"`
	Message string        `json:"message"`
}

// cancellation is how a call ended that was given up, and when its handler saw it.
type cancellation struct {
	Kind        toolmesh.Kind `json:"kind"`
	SeenAfterUs int64         `json:"seen_after_us"`
}

type report struct {
	Unary       object                 `json:"unary"`
	Stream      []toolmesh.ToolEvent   `json:"stream"`
	SchemaChars int                    `json:"schema_chars"`
	Error       failure                `json:"error"`
	Cancelled   cancellation           `json:"cancelled"`
	Deadline    toolmesh.Kind          `json:"deadline"`
	Events      [][]toolmesh.ToolEvent `json:"events"`
}

// caller calls a host; each method panics when something is not as it should be, which ends the program.
type caller struct {
	ctx  context.Context
	node *toolmesh.Node
}

func main() {
	key := must(hex.DecodeString(os.Args[1]))
	ctx := context.Background()
	node := must(toolmesh.Start(ctx, toolmesh.Options{Name: "caller", Key: key, Connect: []string{os.Args[2]}}))
	defer node.Close()
	caller := caller{ctx, node}
	caller.waitForTools()
	exact := object{"n": json.Number("18446744073709551616"), "text": "é"}
	told := report{
		Unary:       must(toolmesh.CallTool[object, object](ctx, node, "same", exact)),
		Stream:      caller.events("steps", object{}),
		SchemaChars: caller.schemaChars(),
		Error:       caller.refused(),
		Cancelled:   caller.cancelled(),
		Deadline:    caller.deadline(),
		Events:      caller.sentBack(os.Args[3]),
	}
	fmt.Println(string(must(json.Marshal(told))))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}

// waitForTools waits for all seven tools of the host.
func (c caller) waitForTools() {
	ctx, stop := context.WithCancel(c.ctx)
	defer stop()
	changes, _, _, err := toolmesh.WatchTools(ctx, c.node, toolmesh.WatchOptions{})
	must(changes, err)
	for len(must(toolmesh.ListTools(c.node))) < tools {
		<-changes
	}
}

func (c caller) events(tool string, arguments any) []toolmesh.ToolEvent {
	told := []toolmesh.ToolEvent{}
	for event, err := range must(toolmesh.CallToolStreaming(c.ctx, c.node, tool, arguments)).All() {
		told = append(told, must(event, err))
	}
	return told
}

func (c caller) schemaChars() int {
	large := must(toolmesh.DescribeTool(c.ctx, c.node, "large"))
	var schema struct {
		Comment string `json:"$comment"`
	}
	if err := json.Unmarshal([]byte(*large.InputSchema), &schema); err != nil {
		log.Panic(err)
	}
	return len(schema.Comment)
}

func (c caller) fails(ctx context.Context, tool string, options ...toolmesh.CallOption) failure {
	_, err := toolmesh.CallTool[object, any](ctx, c.node, tool, object{}, options...)
	var failed *toolmesh.Error
	if !errors.As(err, &failed) {
		log.Panicf("the call ended with %v", err)
	}
	return failure{Kind: failed.Kind, Message: failed.Message}
}

func (c caller) refused() failure { return c.fails(c.ctx, "refuses") }

// seen is what the host has seen of `waits`, as soon as it has seen so many cancellations and beginnings.
func (c caller) seen(began, cancelled int) []int64 {
	for {
		told := must(toolmesh.CallTool[object, struct {
			Began     int
			Cancelled []int64
		}](c.ctx, c.node, "seen", object{}))
		if told.Began >= began && len(told.Cancelled) >= cancelled {
			return told.Cancelled
		}
	}
}

// cancelled is a call that is given up once its handler runs: how it ended, and after how many microseconds its handler saw it.
func (c caller) cancelled() cancellation {
	ctx, giveUp := context.WithCancel(c.ctx)
	ended := make(chan failure)
	go func() { ended <- c.fails(ctx, "waits") }()
	c.seen(1, 0)
	gaveUp := time.Now().UnixMicro()
	giveUp()
	return cancellation{(<-ended).Kind, max(0, c.seen(1, 1)[0]-gaveUp)}
}

// deadline is how a call with a deadline ended, once its handler has seen that.
func (c caller) deadline() toolmesh.Kind {
	told := c.fails(c.ctx, "waits", toolmesh.WithTimeout(200*time.Millisecond))
	c.seen(2, 2)
	return told.Kind
}

// sentBack is every event of the vectors, as it comes back from the host in types of this language.
func (c caller) sentBack(vectors string) [][]toolmesh.ToolEvent {
	var file struct {
		Cases []struct{ Wire toolmesh.ToolEvent }
	}
	if err := json.Unmarshal(must(os.ReadFile(vectors)), &file); err != nil {
		log.Panic(err)
	}
	told := make([][]toolmesh.ToolEvent, len(file.Cases))
	for n, one := range file.Cases {
		told[n] = c.events("sends", struct {
			Event toolmesh.ToolEvent `json:"event"`
		}{one.Wire})
	}
	return told
}
