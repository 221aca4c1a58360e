package toolmesh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// log keeps what is logged while a test runs.
type log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

func (l *log) take() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

func logged(t *testing.T) *log {
	t.Helper()
	kept, before := &log{}, slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(kept, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return kept
}

// The three ways in which an error is asked what it is, each of which panics of nil.
type (
	unwraps  struct{ inner error }
	compares struct{ inner error }
	converts struct{ inner error }
)

func (e *unwraps) Error() string    { return e.inner.Error() }
func (e *unwraps) Unwrap() error    { return e.inner }
func (e *compares) Error() string   { return e.inner.Error() }
func (e *compares) Is(error) bool   { return e.inner == nil }
func (e *converts) Error() string   { return e.inner.Error() }
func (e *converts) As(any) bool     { return e.inner == nil }
func complaint() *ToolError         { return nil }
func panics(text string) (r string) { panic(text) }

type loud struct{ error }

func (loud) Error() string { return panics("no text") }

func TestAnErrorThatPanicsFailsItsOwnCallAlone(t *testing.T) {
	host, agent := pair(t)
	log := logged(t)
	for name, one := range map[string]struct {
		err  error
		says string
	}{
		"nil_tool_error": {complaint(), "a nil *ToolError was returned as an error"},
		"nil_error":      {(*Error)(nil), "panicked"},
		"unwraps":        {(*unwraps)(nil), "panicked"},
		"compares":       {(*compares)(nil), "panicked"},
		"converts":       {(*converts)(nil), "panicked"},
		"wrapped":        {fmt.Errorf("it failed: %w", (*unwraps)(nil)), "panicked"},
		"joined":         {errors.Join(errors.New("one"), (*converts)(nil)), "panicked"},
		"no_text":        {loud{}, "no text"},
	} {
		serve(t, host, name, func(context.Context, none) (none, error) { return none{}, one.err })
		streams(t, host, name+".streams", func(context.Context, none, *ToolEventSink) error { return one.err })
		_, err := CallTool[none, none](ctx, agent, name, none{})
		is(t, err, ErrToolFailed)
		equal(t, err.Error(), "the tool failed")
		if told := log.take(); !strings.Contains(told, one.says) || !strings.Contains(told, "tool="+name) {
			t.Fatalf("%s: %q", name, told)
		}
		told := events(t, agent, name+".streams")
		equal(t, told[len(told)-1], ToolEvent{Type: EventError, Code: "handler_error", Message: "the tool failed"})
		log.take()
	}
}

func TestAResultThatTheLibraryRefusesIsAFailureThatTheLogTells(t *testing.T) {
	host, agent := pair(t)
	log := logged(t)
	deep := json.RawMessage(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))
	descriptor := must(DescriptorFor(ToolOptions{Name: "any", OutputSchema: map[string]any{}}))(t)
	var result any
	must(RegisterTool(host, descriptor, func(context.Context, none) (any, error) { return result, nil }))(t)
	streams(t, host, "streams", func(_ context.Context, _ none, sink *ToolEventSink) error { return sink.Result(result) })
	for name, refused := range map[string]any{
		"too large":           strings.Repeat("x", 65<<20),
		"a member twice":      json.RawMessage(`{"a":1,"a":2}`),
		"half of a character": json.RawMessage(`"\ud800"`),
		"too deep":            deep,
		"no JSON form":        make(chan int),
	} {
		result = refused
		_, err := CallTool[none, any](ctx, agent, "any", none{})
		is(t, err, ErrToolFailed)
		equal(t, err.Error(), "the tool failed")
		if told := log.take(); !strings.Contains(told, "tool=any") || !strings.Contains(told, "JSON") {
			t.Fatalf("%s: %q", name, told)
		}
		told := events(t, agent, "streams")
		equal(t, told[len(told)-1], ToolEvent{Type: EventError, Code: "handler_error", Message: "the tool failed"})
		if told := log.take(); !strings.Contains(told, "tool=streams") {
			t.Fatalf("%s: %q", name, told)
		}
	}
	result = "small"
	equal(t, must(CallTool[none, string](ctx, agent, "any", none{}))(t), "small")
	equal(t, log.take(), "")
}

func TestAFailureIsToldWhateverItsTextIs(t *testing.T) {
	host, agent := pair(t)
	var failure ToolError
	serve(t, host, "fails", func(context.Context, none) (none, error) { return none{}, &failure })
	streams(t, host, "streams", func(context.Context, none, *ToolEventSink) error { return &failure })
	for _, one := range []struct{ code, message, toldCode, told string }{
		{"a\xff", "bad \xff\xfe text", "a\uFFFD", "bad \uFFFD text"},
		{"b", "", "b", ""},
		{"c", "nul \x00", "c", "nul \x00"},
		{"d", strings.Repeat("x", 3<<20), "d", strings.Repeat("x", 3<<20)},
	} {
		failure = ToolError{Code: one.code, Message: one.message}
		_, err := CallTool[none, none](ctx, agent, "fails", none{})
		is(t, err, ErrToolFailed)
		equal(t, err.Error(), one.told)
		told := events(t, agent, "streams")
		equal(t, told[len(told)-1], ToolEvent{Type: EventError, Code: one.toldCode, Message: one.told})
	}
}

func TestWhatAHandlerFindsClosedIsAFailureThatTheLogTells(t *testing.T) {
	host, agent := pair(t)
	log := logged(t)
	other := start(t, Options{})
	other.Close()
	asks := func() error {
		_, err := CallTool[none, none](ctx, other, "any", none{})
		return err
	}
	serve(t, host, "asks", func(context.Context, none) (none, error) { return none{}, asks() })
	streams(t, host, "streams", func(context.Context, none, *ToolEventSink) error { return asks() })
	_, err := CallTool[none, none](ctx, agent, "asks", none{})
	is(t, err, ErrToolFailed)
	equal(t, err.Error(), "the tool failed")
	equal(t, strings.Count(log.take(), "tool=asks"), 1)
	told := events(t, agent, "streams")
	equal(t, told[len(told)-1], ToolEvent{Type: EventError, Code: "handler_error", Message: "the tool failed"})
	equal(t, strings.Count(log.take(), "tool=streams"), 1)
}

func TestAHandlerThatGoesOnBehindTheEndOfItsCallIsNoNews(t *testing.T) {
	late := map[string]func(*ToolEventSink) error{
		"tells":    func(sink *ToolEventSink) error { return sink.Delta(2) },
		"finishes": func(sink *ToolEventSink) error { return sink.call.finish([]byte("2")) },
	}
	for name, goesOn := range late {
		t.Run(name, func(t *testing.T) {
			host, agent := pair(t)
			log := logged(t)
			ended := make(chan error, 1)
			must(host.serve(named(name), func(ctx context.Context, call *Call) error {
				sink := &ToolEventSink{ctx, call}
				err := errors.Join(sink.Result(1), goesOn(sink))
				(&served{tool: name}).told(ctx, call, err)
				ended <- err
				return nil
			}))(t)
			equal(t, must(CallTool[none, int](ctx, agent, name, none{}))(t), 1)
			is(t, received(t, ended), ErrClosed)
			equal(t, log.take(), "")
		})
	}
}
