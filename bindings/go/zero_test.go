package toolmesh

import (
	"context"
	"encoding/json"
	"net/netip"
	"testing"
	"time"
)

type shown struct{ Deep *[]int }

// zeros has every kind of type that a schema can be derived of.
type zeros struct {
	shown
	Tags    []string
	By      map[string]int
	Nested  [][]string
	Raw     []byte
	Array   [2][]int
	Bytes   [3]byte
	Struct  struct{ Inner []shown }
	Pointer *shown
	Far     **[]string
	Text    string
	Quoted  *int `json:",string"`
	Plain   int  `json:",string"`
	Small   uint8
	Ratio   float32
	Yes     bool
	Any     any
	JSON    json.RawMessage
	Number  json.Number
	When    time.Time
	Address netip.Addr
	Left    []string `json:",omitempty"`
	Self    *zeros
	Selves  []zeros
	More    map[string]zeros
}

func TestTheZeroValueOfATypeFitsItsOwnSchemas(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "same", func(_ context.Context, given zeros) (zeros, error) { return given, nil })
	// An empty number is written as 0, an absent text as null.
	read := zeros{Number: "0", JSON: json.RawMessage("null")}
	equal(t, must(CallTool[zeros, zeros](ctx, agent, "same", zeros{}))(t), read)
	within := zeros{Selves: []zeros{{}}, More: map[string]zeros{"a": {}}, Nested: [][]string{nil}, Self: &zeros{}}
	want := read
	want.Selves, want.More, want.Nested, want.Self = []zeros{read}, map[string]zeros{"a": read}, [][]string{nil}, &read
	equal(t, must(CallTool[zeros, zeros](ctx, agent, "same", within))(t), want)
}

func TestARequestThatIsNilAsksWithoutArguments(t *testing.T) {
	type maybe struct {
		N *int `json:"n,omitempty"`
	}
	host, agent := pair(t)
	serve(t, host, "map", func(_ context.Context, given map[string]int) (int, error) { return len(given), nil })
	serve(t, host, "pointer", func(_ context.Context, given *maybe) (bool, error) { return given != nil && given.N == nil, nil })
	equal(t, must(CallTool[map[string]int, int](ctx, agent, "map", nil))(t), 0)
	equal(t, must(CallTool[any, int](ctx, agent, "map", nil))(t), 0)
	equal(t, must(CallTool[*maybe, bool](ctx, agent, "pointer", nil))(t), true)
	three := 3
	equal(t, must(CallTool[*maybe, bool](ctx, agent, "pointer", &maybe{&three}))(t), false)
}

func TestAHandlerThatIsNilIsRefused(t *testing.T) {
	node := start(t, Options{})
	_, err := RegisterTool[none, none](node, named("nil"), nil)
	is(t, err, ErrInvalid)
	_, err = RegisterStreamingTool[none](node, named("nil"), nil)
	is(t, err, ErrInvalid)
	equal(t, names(t, node), []string{})
}

func TestOptionsThatAreNilSayNothing(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "hello", says("hello"))
	streams(t, host, "streams", func(_ context.Context, _ none, sink *ToolEventSink) error { return sink.Result(nil) })
	equal(t, must(CallTool[none, string](ctx, agent, "hello", none{}, nil, WithTimeout(time.Minute), nil))(t), "hello")
	must(CallToolStreaming(ctx, agent, "streams", none{}, nil))(t).Close()
	must(DescribeTool(ctx, agent, "hello", nil))(t)
	equal(t, must(agent.Hosts("hello", nil))(t), []uint64{host.ID()})
	equal(t, names(t, agent, nil, Matching(TagPrefix("region.")), nil), []string{"hello", "streams"})
}

func TestWhatNobodyGaveIsClosedAndNeverAPanic(t *testing.T) {
	for _, handle := range []*ToolServeHandle{nil, {}} {
		handle.Close()
	}
	for _, stream := range []*ToolEventStream{nil, {}} {
		stream.Close()
		_, ok, err := stream.Recv()
		is(t, err, ErrClosed)
		_, known := stream.CallID()
		equal(t, []bool{ok, known}, []bool{false, false})
		seen := 0
		for _, err := range stream.All() {
			is(t, err, ErrClosed)
			seen++
		}
		equal(t, seen, 1)
	}
	for _, sink := range []*ToolEventSink{nil, {}} {
		is(t, sink.Send(ToolEvent{Type: EventProgress}), ErrClosed)
		is(t, sink.Progress(50, "half"), ErrClosed)
		is(t, sink.Delta(1), ErrClosed)
		is(t, sink.Result(1), ErrClosed)
	}
	// A handler that a test calls by itself has no call.
	for _, call := range []*Call{CallOf(ctx), {}} {
		_, err := call.Caller()
		is(t, err, ErrClosed)
		_, err = call.Headers()
		is(t, err, ErrClosed)
		is(t, call.Progress(ctx, 50, "half"), ErrClosed)
		equal(t, call.IdempotencyKey(), "")
	}
	for _, set := range []*Toolset{nil, {}} {
		_, err := set.Tools()
		is(t, err, ErrInvalid)
		_, err = set.Warnings()
		is(t, err, ErrInvalid)
		_, err = set.Calls(nil)
		is(t, err, ErrInvalid)
		_, err = set.Messages(nil)
		is(t, err, ErrInvalid)
	}
	for _, server := range []*MCPServer{nil, {}} {
		equal(t, server.URL(), "")
		server.Close()
	}
	for _, node := range []*Node{nil, {}} {
		_, err := ListTools(node)
		is(t, err, ErrClosed)
		_, err = RegisterTool(node, named("x"), says(""))
		is(t, err, ErrClosed)
		equal(t, node.ID(), uint64(0))
		node.Close()
	}
}
