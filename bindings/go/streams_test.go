package toolmesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

func streams(t *testing.T, node *Node, name string, handler func(context.Context, none, *ToolEventSink) error) *ToolServeHandle {
	t.Helper()
	return must(RegisterStreamingTool(node, named(name), handler))(t)
}

// events are those of a call behind its start.
func events(t *testing.T, agent *Node, tool string) []ToolEvent {
	t.Helper()
	stream := must(CallToolStreaming(ctx, agent, tool, none{}))(t)
	var told []ToolEvent
	for event, err := range stream.All() {
		must(none{}, err)(t)
		told = append(told, event)
	}
	equal(t, told[0].Type, EventStart)
	for n, event := range told {
		equal(t, event.IsTerminal(), n == len(told)-1)
	}
	if _, ok := stream.CallID(); !ok {
		t.Fatal("the call has no number")
	}
	_, ok, err := stream.Recv()
	if ok || err != nil {
		t.Fatalf("something follows the last event: %v", err)
	}
	return told[1:]
}

func TestAStreamCarriesEveryEventInOrderAndEndsOnce(t *testing.T) {
	host, agent := pair(t)
	late := make(chan error, 1)
	streams(t, host, "counts", func(_ context.Context, _ none, sink *ToolEventSink) error {
		if err := sink.Progress(50, "half"); err != nil {
			return err
		}
		for n := range 100 {
			if err := sink.Delta(n); err != nil {
				return err
			}
		}
		if err := sink.Result(map[string]bool{"done": true}); err != nil {
			return err
		}
		late <- sink.Delta(0)
		return nil
	})
	told := events(t, agent, "counts")
	equal(t, len(told), 102)
	half := 50.0
	equal(t, told[0], ToolEvent{Type: EventProgress, Pct: &half, Message: "half"})
	for n, event := range told[1:101] {
		equal(t, event, ToolEvent{Type: EventDelta, Data: json.RawMessage(fmt.Sprint(n))})
	}
	equal(t, told[101], ToolEvent{Type: EventResult, Data: json.RawMessage(`{"done":true}`)})
	is(t, received(t, late), ErrClosed)
}

func TestAStreamWithoutAnEndGetsOne(t *testing.T) {
	host, agent := pair(t)
	for name, want := range map[string]struct {
		fails func() error
		end   ToolEvent
	}{
		"ends": {func() error { return nil }, ToolEvent{
			Type: EventError, Code: "missing_terminal",
			Message: "tool handler ended its stream without emitting a terminal Result or Error event",
		}},
		"breaks": {func() error { return errors.New("a secret") },
			ToolEvent{Type: EventError, Code: "handler_error", Message: "the tool failed"}},
		"panics": {func() error { panic("a secret") },
			ToolEvent{Type: EventError, Code: "handler_error", Message: "the tool failed"}},
		"no": {func() error { return &ToolError{"disk_full", "the disk is full"} },
			ToolEvent{Type: EventError, Code: "disk_full", Message: "the disk is full"}},
	} {
		streams(t, host, name, func(_ context.Context, _ none, sink *ToolEventSink) error {
			if err := sink.Delta(1); err != nil {
				return err
			}
			return want.fails()
		})
		told := events(t, agent, name)
		equal(t, told[len(told)-1], want.end)
	}
}

func TestClosingAStreamReachesItsHandler(t *testing.T) {
	host, agent := pair(t)
	seen := make(chan error, 2)
	streams(t, host, "endless", func(ctx context.Context, _ none, sink *ToolEventSink) error {
		if err := sink.Delta(0); err != nil {
			return err
		}
		<-ctx.Done()
		seen <- ctx.Err()
		return ctx.Err()
	})
	giving, up := context.WithCancel(ctx)
	closed := must(CallToolStreaming(ctx, agent, "endless", none{}))(t)
	cancelled := must(CallToolStreaming(giving, agent, "endless", none{}))(t)
	for _, stream := range []*ToolEventStream{closed, cancelled} {
		for _, kind := range []ToolEventType{EventStart, EventDelta} {
			event, _, err := stream.Recv()
			must(none{}, err)(t)
			equal(t, event.Type, kind)
		}
	}
	closed.Close()
	closed.Close()
	equal(t, received(t, seen), context.Canceled)
	_, ok, err := closed.Recv()
	if ok || err != nil {
		t.Fatalf("a closed stream goes on: %v", err)
	}
	up()
	equal(t, received(t, seen), context.Canceled)
	_, ok, err = cancelled.Recv()
	is(t, err, ErrCancelled)
	equal(t, ok, false)
	_, ok, err = cancelled.Recv()
	if ok || err != nil {
		t.Fatalf("a stream that ended goes on: %v", err)
	}
}

func TestProgressOfAUnaryToolIsNoPartOfItsResult(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "slow", func(ctx context.Context, _ none) (string, error) {
		return "done", CallOf(ctx).Progress(ctx, 50, "half")
	})
	equal(t, must(CallTool[none, string](ctx, agent, "slow", none{}))(t), "done")
}

type eventCase struct {
	Name       string
	Wire       json.RawMessage
	IsTerminal bool `json:"is_terminal"`
}

func eventCases(t *testing.T) []eventCase {
	var vectors struct{ Cases []eventCase }
	testdata(t, "tool_event_vectors.json", &vectors)
	if len(vectors.Cases) < 15 {
		t.Fatalf("only %d cases", len(vectors.Cases))
	}
	return vectors.Cases
}

func TestEventsAreReadAndWrittenAsEveryLanguageDoes(t *testing.T) {
	for _, one := range eventCases(t) {
		var event ToolEvent
		must(none{}, json.Unmarshal(one.Wire, &event))(t)
		equal(t, event.IsTerminal(), one.IsTerminal)
		equal(t, plain(t, event), plain(t, one.Wire))
	}
	for _, wrong := range []string{
		`{}`, `{"type":"done"}`, `{"type":"start"}`, `{"type":"delta"}`, `{"type":"result"}`, `{"type":"error","code":"x"}`,
		`{"type":"start","tool_id":"x","call_id":-1}`,
	} {
		var event ToolEvent
		if json.Unmarshal([]byte(wrong), &event) == nil {
			t.Fatal(wrong)
		}
	}
	if _, err := json.Marshal(ToolEvent{}); err == nil {
		t.Fatal("an event without a type was written")
	}
}

func TestEventsCrossAsEveryLanguageWritesThem(t *testing.T) {
	host, agent := pair(t)
	for _, one := range eventCases(t) {
		var sent ToolEvent
		must(none{}, json.Unmarshal(one.Wire, &sent))(t)
		handle := streams(t, host, "sends", func(_ context.Context, _ none, sink *ToolEventSink) error {
			if err := sink.Send(sent); err != nil || sent.IsTerminal() {
				return err
			}
			return sink.Result(nil)
		})
		stream := must(CallToolStreaming(ctx, agent, "sends", none{}))(t)
		crossed := false
		for event, err := range stream.All() {
			must(none{}, err)(t)
			if sent.Type == EventStart {
				// The host numbers the call.
				event.CallID = sent.CallID
			}
			crossed = crossed || fmt.Sprint(plain(t, event)) == fmt.Sprint(plain(t, sent))
		}
		if !crossed {
			t.Fatalf("%s has not crossed", one.Name)
		}
		handle.Close()
	}
}
