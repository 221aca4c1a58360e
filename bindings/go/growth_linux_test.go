// The race detector keeps memory of its own.
//go:build !race

package toolmesh

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
)

const (
	// calls and cycles are how many there are of each.
	calls, cycles = 10_000, 1_000
	// growth is how much more memory may be resident afterwards: what allocators keep, and far less than a kilobyte a call.
	growth = 8 << 20
)

// resident is how much memory the process has, with what Go need not keep given back.
func resident(t *testing.T) int {
	t.Helper()
	runtime.GC()
	runtime.GC()
	var pages, total int
	text := must(os.ReadFile("/proc/self/statm"))(t)
	must(fmt.Sscan(string(text), &total, &pages))(t)
	return pages * os.Getpagesize()
}

func TestCallsAndCyclesDoNotGrow(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "same", func(_ context.Context, given count) (count, error) { return given, nil })
	call := func() { equal(t, must(CallTool[count, count](ctx, agent, "same", count{7}))(t), count{7}) }
	cycle := func() {
		handle := serve(t, host, "cycle", says("round"))
		must(CallTool[none, string](ctx, agent, "cycle", none{}))(t)
		stream := must(CallToolStreaming(ctx, agent, "cycle", none{}))(t)
		must3(stream.Recv())(t)
		stream.Close()
		handle.Close()
	}
	for _, work := range []struct {
		name  string
		times int
		once  func()
	}{{"calls", calls, call}, {"serve/close cycles", cycles, cycle}} {
		// Warm first: pools, arenas and tables reach the size that they keep.
		for range work.times / 2 {
			work.once()
		}
		before, goroutines := resident(t), runtime.NumGoroutine()
		for range work.times {
			work.once()
		}
		after := resident(t)
		t.Logf("%d %s: resident %d KiB before, %d KiB after", work.times, work.name, before>>10, after>>10)
		if after-before > growth {
			t.Fatalf("%s: %d bytes more", work.name, after-before)
		}
		if more := runtime.NumGoroutine() - goroutines; more > 10 {
			t.Fatalf("%s: %d goroutines more", work.name, more)
		}
	}
}

func must3[T any](value T, _ bool, err error) func(t *testing.T) T { return must(value, err) }
