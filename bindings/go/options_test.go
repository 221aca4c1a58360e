package toolmesh

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

func TestEveryKindOfMatcherChoosesNodes(t *testing.T) {
	node := start(t, Options{Tags: []string{"region.eu", "hardware.gpu=h100", "software.python=3.12.1"}})
	serve(t, node, "one", says("hello"))
	for _, matcher := range []struct{ matches, doesNot *TagMatcher }{
		{TagExact("region.eu"), TagExact("region")},
		{TagPrefix("region."), TagPrefix("egion")},
		{TagAxis("hardware"), TagAxis("dataforts")},
		{TagAxisKey("hardware", "gpu"), TagAxisKey("hardware", "cpu")},
		{TagRegex("gpu=h.00"), TagRegex("^gpu")},
		{TagVersionRange("software.python", "3.10.0", ""), TagVersionRange("software.python", "", "3.11.0")},
	} {
		equal(t, names(t, node, Matching(matcher.matches)), []string{"one"})
		equal(t, names(t, node, Matching(matcher.doesNot)), []string{})
	}
}

func TestRoutingAndPredicatesChooseTheHost(t *testing.T) {
	key := make([]byte, 32)
	must(rand.Read(key))(t)
	a := start(t, Options{Key: key, Engine: Memory})
	b := start(t, Options{Key: key, Engine: Memory, Tags: []string{"hardware.gpu=h100"}})
	agent := start(t, Options{Key: key, Engine: Memory})
	for _, host := range []*Node{a, b} {
		serve(t, host, "id", func(context.Context, none) (uint64, error) { return host.ID(), nil })
	}
	chosen := func(options ...CallOption) []uint64 {
		ids := []uint64{}
		for range 8 {
			id := must(CallTool[none, uint64](ctx, agent, "id", none{}, options...))(t)
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		return ids
	}
	both := []uint64{a.ID(), b.ID()}
	slices.Sort(both)
	equal(t, chosen(), both)
	equal(t, chosen(WithRouting(RoundRobin)), both)
	equal(t, len(chosen(WithStickyKey(1<<64-1))), 1)
	for _, routing := range []Routing{Random, LowestLatency} {
		for _, id := range chosen(WithRouting(routing)) {
			equal(t, slices.Contains(both, id), true)
		}
	}
	hasGPU := map[string]any{"root_idx": 0, "nodes": []any{
		map[string]any{"kind": "exists", "key": map[string]string{"axis": "hardware", "key": "gpu"}},
	}}
	equal(t, chosen(WithWhere(hasGPU)), []uint64{b.ID()})
	equal(t, must(agent.Hosts("id", WithWhere(hasGPU)))(t), []uint64{b.ID()})
	_, err := CallTool[none, uint64](ctx, agent, "id", none{}, WithRouting("nearest"))
	is(t, err, ErrInvalid)
}

func TestTheWindowOfAStreamHoldsItsHostBack(t *testing.T) {
	host, agent := pair(t)
	// Small events go together; each of these takes a credit.
	piece := strings.Repeat("x", 16*1024)
	made := make(chan none, 2)
	var taken, ahead atomic.Int64
	counts := func(_ context.Context, _ none, sink *ToolEventSink) error {
		for number := range int64(100) {
			ahead.Store(max(ahead.Load(), number-taken.Load()))
			if err := sink.Delta(piece); err != nil {
				return err
			}
		}
		made <- none{}
		return sink.Result(nil)
	}
	must(RegisterStreamingTool(host, named("counts"), counts))(t)
	serve(t, host, "hello", says("hello"))
	unread := must(CallToolStreaming(ctx, agent, "counts", none{}))(t)
	received(t, made) // The window unless said has room for all.
	unread.Close()
	ahead.Store(0)
	stream := must(CallToolStreaming(ctx, agent, "counts", none{}, WithStreamWindow(1)))(t)
	for _, err := range stream.All() {
		must(none{}, err)(t)
		must(CallTool[none, string](ctx, agent, "hello", none{}))(t) // It reads slowly.
		taken.Add(1)
	}
	if ahead.Load() > 16 {
		t.Fatal(ahead.Load())
	}
}

func TestAMistakeInADescriptorOrAnOptionIsToldByItsName(t *testing.T) {
	node := start(t, Options{})
	for _, descriptor := range []ToolDescriptor{
		{ToolID: "x", Name: "x", Version: "new"},
		{ToolID: "Not a name!", Name: "x", Version: "1.0.0"},
	} {
		_, err := RegisterTool(node, descriptor, says(""))
		is(t, err, ErrInvalid)
	}
	_, err := Start(ctx, Options{Connect: []string{"127.0.0.1:1"}})
	is(t, err, ErrInvalid)
	equal(t, err.Error(), "`connect` is for a mesh on a network: give the `key` of the mesh that it is for")
	_, err = Start(ctx, Options{Key: make([]byte, 31)})
	is(t, err, ErrInvalid)
}

func TestWhatDidNotStartSaysSoAndMayBeClosed(t *testing.T) {
	node, _ := Start(ctx, Options{Key: make([]byte, 31)})
	defer node.Close()
	_, err := ListTools(node)
	is(t, err, ErrClosed)
	handle, err := RegisterTool(node, named("x"), says(""))
	is(t, err, ErrClosed)
	handle.Close()
	_, err = CallTool[none, string](ctx, node, "x", none{})
	is(t, err, ErrClosed)
	stream, err := CallToolStreaming(ctx, node, "x", none{})
	is(t, err, ErrClosed)
	stream.Close()
	server, err := node.ServeMCP(ctx, "127.0.0.1:0", ServerInfo{})
	is(t, err, ErrClosed)
	server.Close()
}
