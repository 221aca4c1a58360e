// Calls of a tool in Go, to be measured. What the program does is in `README.md`.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"time"

	"toolmesh"
)

// number is what is sent and given back.
type number struct {
	Number int64 `json:"number"`
}

const schema = `{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"]}`

var ctx = context.Background()

func main() {
	switch what, given := os.Args[1], os.Args[2:]; what {
	case "host":
		host(given[0])
	case "caller":
		caller(given[0], given[1], given[2:])
	case "alone":
		alone(given)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Panic(err)
	}
	return value
}

func serve(node *toolmesh.Node) {
	echo := must(toolmesh.DescriptorFor(toolmesh.ToolOptions{Name: "echo", InputSchema: schema, OutputSchema: schema}))
	must(toolmesh.RegisterTool(node, echo, func(_ context.Context, given number) (number, error) { return given, nil }))
}

func host(key string) {
	node := must(toolmesh.Start(ctx, toolmesh.Options{Key: must(hex.DecodeString(key))}))
	defer node.Close()
	serve(node)
	fmt.Println(must(node.ListensAt())[0])
	// It is over when nobody holds the other end any more.
	must(io.Copy(io.Discard, os.Stdin))
}

func caller(key, place string, load []string) {
	node := must(toolmesh.Start(ctx, toolmesh.Options{Key: must(hex.DecodeString(key)), Connect: []string{place}}))
	defer node.Close()
	watching, stop := context.WithCancel(ctx)
	changes, _, _, err := toolmesh.WatchTools(watching, node, toolmesh.WatchOptions{})
	must(changes, err)
	for len(must(toolmesh.ListTools(node))) == 0 {
		<-changes
	}
	stop()
	measure(node, load)
}

func alone(load []string) {
	options := toolmesh.Options{Key: make([]byte, 32), Engine: toolmesh.Memory}
	host, agent := must(toolmesh.Start(ctx, options)), must(toolmesh.Start(ctx, options))
	defer host.Close()
	defer agent.Close()
	serve(host)
	measure(agent, load)
}

func measure(node *toolmesh.Node, load []string) {
	underWay := must(strconv.Atoi(load[0]))
	calls(node, underWay, milliseconds(load[1]))
	begin := time.Now()
	ended := calls(node, underWay, milliseconds(load[2]))
	fmt.Println(string(must(json.Marshal(map[string]any{"calls": ended, "seconds": time.Since(begin).Seconds()}))))
}

func milliseconds(text string) time.Duration {
	return time.Duration(must(strconv.Atoi(text))) * time.Millisecond
}

// calls calls for so long; how many calls ended.
func calls(node *toolmesh.Node, underWay int, period time.Duration) (sum int64) {
	end := time.Now().Add(period)
	if underWay == 1 {
		return oneAfterAnother(node, end)
	}
	ended := make(chan int64)
	for range underWay {
		go func() { ended <- oneAfterAnother(node, end) }()
	}
	for range underWay {
		sum += <-ended
	}
	return sum
}

func oneAfterAnother(node *toolmesh.Node, end time.Time) int64 {
	sent := number{}
	for ; time.Now().Before(end); sent.Number++ {
		if answer := must(toolmesh.CallTool[number, number](ctx, node, "echo", sent)); answer != sent {
			log.Panicf("%d was answered by %d", sent.Number, answer.Number)
		}
	}
	return sent.Number
}
