package toolmesh

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

var ctx = context.Background()

// key is the key of the mesh of a test: its own, so that tests run beside each other.
func key(t *testing.T) []byte {
	key := make([]byte, 32)
	copy(key, t.Name())
	return key
}

func start(t *testing.T, options Options) *Node {
	t.Helper()
	node := must(Start(ctx, options))(t)
	t.Cleanup(node.Close)
	return node
}

// pair is two nodes of one mesh.
func pair(t *testing.T) (host, agent *Node) {
	t.Helper()
	host = start(t, Options{Name: "host", Key: key(t), Engine: Memory, Tags: []string{"region.eu"}})
	return host, start(t, Options{Name: "agent", Key: key(t), Engine: Memory})
}

func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func named(name string) ToolDescriptor {
	return ToolDescriptor{ToolID: name, Name: name, Version: DefaultVersion, Stateless: true}
}

func serve[Req, Resp any](t *testing.T, node *Node, name string, handler func(context.Context, Req) (Resp, error)) *ToolServeHandle {
	t.Helper()
	return must(RegisterTool(node, named(name), handler))(t)
}

func names(t *testing.T, node *Node, options ...ListOption) []string {
	t.Helper()
	found := []string{}
	for _, tool := range must(ListTools(node, options...))(t) {
		found = append(found, tool.ToolID)
	}
	return found
}

func equal(t *testing.T, have, want any) {
	t.Helper()
	if !reflect.DeepEqual(have, want) {
		t.Fatalf("have %#v\nwant %#v", have, want)
	}
}

// received waits for what has to come.
func received[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func testdata(t *testing.T, name string, value any) {
	t.Helper()
	text := must(os.ReadFile(filepath.Join("..", "..", "testdata", "net", name)))(t)
	if err := json.Unmarshal(text, value); err != nil {
		t.Fatal(err)
	}
}

// plain is a value as JSON has it, numbers compared as numbers.
func plain(t *testing.T, value any) any {
	t.Helper()
	text := must(json.Marshal(value))(t)
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}
