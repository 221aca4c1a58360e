package toolmesh

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	// Handlers fail on purpose here.
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	if role := os.Getenv(roleVariable); role != "" {
		roles[role]()
		return
	}
	os.Exit(m.Run())
}

func TestNoDigitIsLostInEitherDirection(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "same", func(_ context.Context, given map[string]any) (map[string]any, error) { return given, nil })
	exact := map[string]any{
		"n": json.Number("1606938044258990275541962092341162602522202993782792835301376"), "tenth": json.Number("0.10"),
		"deep": []any{map[string]any{"m": json.Number("-18446744073709551616")}}, "text": "\u00e9\u2028<&>",
	}
	equal(t, must(CallTool[map[string]any, map[string]any](ctx, agent, "same", exact))(t), exact)
}

type count struct {
	N int `json:"n"`
}

func TestEveryFaultIsAnErrorOfItsOwn(t *testing.T) {
	host, agent := pair(t)
	descriptor := must(DescriptorFor(ToolOptions{Name: "typed", OutputSchema: `{"type":"string"}`}))(t)
	handle := must(RegisterTool(host, descriptor, func(context.Context, count) (count, error) { return count{1}, nil }))(t)
	_, err := CallTool[any, any](ctx, agent, "typed", map[string]any{"n": "x"})
	is(t, err, ErrInvalidArguments)
	_, err = CallTool[count, any](ctx, agent, "typed", count{1})
	is(t, err, ErrServer)
	_, err = RegisterTool(host, named("typed"), says(""))
	is(t, err, ErrAlreadyServing)
	handle.Close()
	_, err = CallTool[count, any](ctx, agent, "typed", count{1})
	is(t, err, ErrNoRoute)
	_, err = RegisterTool(host, named("Not a name!"), says(""))
	is(t, err, ErrInvalid)
	_, err = CallTool[count, any](ctx, agent, "typed", count{1}, WithVersion("new"))
	is(t, err, ErrInvalid)
	_, err = CallTool[any, any](ctx, agent, "typed", func() {})
	is(t, err, ErrJSON)
}

func TestOnlyAToolErrorTellsItsText(t *testing.T) {
	host, agent := pair(t)
	for name, fails := range map[string]func() error{
		"no":     func() error { return ToolErrorf("no such city") },
		"breaks": func() error { return errors.New("a secret") },
		"panics": func() error { panic("a secret") },
	} {
		serve(t, host, name, func(context.Context, none) (none, error) { return none{}, fails() })
	}
	descriptor := must(DescriptorFor(ToolOptions{Name: "odd", OutputSchema: map[string]any{}}))(t)
	must(RegisterTool(host, descriptor, func(context.Context, none) (any, error) { return make(chan int), nil }))(t)
	for name, told := range map[string]string{
		"no": "no such city", "breaks": "the tool failed", "panics": "the tool failed", "odd": "the tool failed",
	} {
		_, err := CallTool[none, any](ctx, agent, name, none{})
		is(t, err, ErrToolFailed)
		equal(t, err.Error(), told)
	}
}

func TestAResultThatItsSchemaForbidsIsOneTypedError(t *testing.T) {
	host, agent := pair(t)
	descriptor := must(DescriptorFor(ToolOptions{Name: "few", OutputSchema: `{"type":"integer","maximum":3}`}))(t)
	must(RegisterTool(host, descriptor, func(_ context.Context, given count) (int, error) { return given.N, nil }))(t)
	equal(t, must(CallTool[count, int](ctx, agent, "few", count{3}))(t), 3)
	_, err := CallTool[count, int](ctx, agent, "few", count{4})
	is(t, err, ErrServer)
}

func TestTheContextTellsOfTheCall(t *testing.T) {
	host, agent := pair(t)
	var kept *Call
	serve(t, host, "told", func(ctx context.Context, _ none) ([]string, error) {
		kept = CallOf(ctx)
		deadline, ok := ctx.Deadline()
		if left := time.Until(deadline); !ok || left > 5*time.Second {
			return nil, ToolErrorf("the deadline is %v away (%v)", left, ok)
		}
		caller, err := kept.Caller()
		if err != nil {
			return nil, err
		}
		headers, err := kept.Headers()
		return []string{*caller.Identity, caller.Transport, headers["x-shard"], kept.IdempotencyKey()}, err
	})
	told := must(CallTool[none, []string](ctx, agent, "told", none{}, WithTimeout(5*time.Second),
		WithHeader("x-shard", "7"), WithIdempotencyKey("k1"), WithStickyKey(3)))(t)
	equal(t, told, []string{"agent", "mesh", "7", "k1"})
	equal(t, CallOf(ctx), (*Call)(nil))
	_, err := kept.Caller()
	is(t, err, ErrClosed)
	is(t, kept.Progress(ctx, 1, ""), ErrClosed)
}

func TestADeadlineEndsTheCallForBoth(t *testing.T) {
	host, agent := pair(t)
	seen, reasons := make(chan error, 2), make(chan [2]error, 2)
	serve(t, host, "waits", func(ctx context.Context, _ none) (none, error) {
		derived, cancel := context.WithCancel(ctx)
		defer cancel()
		<-derived.Done()
		seen <- ctx.Err()
		reasons <- [2]error{derived.Err(), context.Cause(ctx)}
		return none{}, ctx.Err()
	})
	bounded, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, ofContext := CallTool[none, none](bounded, agent, "waits", none{})
	_, ofOption := CallTool[none, none](ctx, agent, "waits", none{}, WithTimeout(50*time.Millisecond))
	for _, err := range []error{ofContext, ofOption} {
		is(t, err, ErrTimeout)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		equal(t, received(t, seen), context.DeadlineExceeded)
		equal(t, received(t, reasons), [2]error{context.DeadlineExceeded, context.DeadlineExceeded})
	}
}

func TestACancelledContextIsCancelledAtTheHandler(t *testing.T) {
	host, agent := pair(t)
	began, seen := make(chan none), make(chan error, 1)
	serve(t, host, "waits", func(ctx context.Context, _ none) (none, error) {
		began <- none{}
		<-ctx.Done()
		seen <- ctx.Err()
		return none{}, ctx.Err()
	})
	reason := errors.New("enough")
	giving, up := context.WithCancelCause(ctx)
	go func() {
		<-began
		up(reason)
	}()
	_, err := CallTool[none, none](giving, agent, "waits", none{})
	is(t, err, ErrCancelled)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) {
		t.Fatal(err)
	}
	equal(t, received(t, seen), context.Canceled)
	_, err = CallTool[none, none](giving, agent, "waits", none{})
	is(t, err, ErrCancelled)
}

func TestManyCallsAtOnceAreAllAnswered(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "double", func(_ context.Context, given count) (count, error) { return count{2 * given.N}, nil })
	var calls sync.WaitGroup
	answers := make([]count, 500)
	for n := range answers {
		calls.Add(1)
		go func() {
			defer calls.Done()
			answers[n], _ = CallTool[count, count](ctx, agent, "double", count{n})
		}()
	}
	calls.Wait()
	for n, answer := range answers {
		equal(t, answer, count{2 * n})
	}
}

func TestANodeCallsItselfAndAHandlerCallsOn(t *testing.T) {
	host, _ := pair(t)
	serve(t, host, "inner", func(context.Context, none) (int, error) { return 1, nil })
	serve(t, host, "outer", func(ctx context.Context, _ none) (int, error) {
		n, err := CallTool[none, int](ctx, host, "inner", none{})
		return n + 1, err
	})
	equal(t, must(CallTool[none, int](ctx, host, "outer", none{}))(t), 2)
}

func TestAClosedNodeSaysSo(t *testing.T) {
	_, agent := pair(t)
	agent.Close()
	agent.Close()
	_, err := ListTools(agent)
	is(t, err, ErrClosed)
	_, err = CallTool[none, any](ctx, agent, "any", none{})
	is(t, err, ErrClosed)
	_, err = RegisterTool(agent, named("late"), says(""))
	is(t, err, ErrClosed)
	equal(t, agent.ID(), uint64(0))
}

func TestALibraryOfAnotherVersionIsRefused(t *testing.T) {
	must(none{}, checkABI())(t)
	_, err := startFor(ctx, abiVersion+1, Options{})
	is(t, err, ErrInvalid)
	if !strings.Contains(err.Error(), "version") {
		t.Fatal(err)
	}
}
