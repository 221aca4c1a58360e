package toolmesh

import (
	"context"
	"time"
)

// CallOption says how a call is made.
type CallOption func(*callOptions)

// callOptions is how they cross.
type callOptions struct {
	DeadlineMs     *int64            `json:"deadline_ms,omitempty"`
	Version        string            `json:"version,omitempty"`
	Where          any               `json:"where,omitempty"`
	Routing        Routing           `json:"routing,omitempty"`
	StickyKey      uint64            `json:"sticky_key,omitempty"`
	Headers        map[string]string `json:"headers,omitempty"`
	StreamWindow   *uint32           `json:"stream_window,omitempty"`
	IdempotencyKey string            `json:"idempotency_key,omitempty"`
}

// Routing is how one of several hosts is chosen.
type Routing string

const (
	// RoundRobin takes one after the other; it is what happens unless something else is asked for.
	RoundRobin Routing = "round_robin"
	// Random takes any.
	Random Routing = "random"
	// Sticky takes always the same for one key, as long as it is there.
	Sticky Routing = "sticky"
	// LowestLatency takes the one that answered fastest of late.
	LowestLatency Routing = "lowest_latency"
)

// WithTimeout is how long the call may take in all: 30 s unless said, a stream 10 minutes. What is longer than an hour is an hour.
// The deadline of its context holds as well: the earlier of the two.
func WithTimeout(timeout time.Duration) CallOption {
	return func(o *callOptions) { o.until(timeout) }
}

// WithVersion is which versions of the tool may be called, as a semantic version requirement: ^1.2. Unless said, the highest there
// is.
func WithVersion(requirement string) CallOption {
	return func(o *callOptions) { o.Version = requirement }
}

// WithWhere is which hosts may be called: a predicate {"nodes": [...], "root_idx": n} on their tags and metadata.
func WithWhere(predicate any) CallOption {
	return func(o *callOptions) { o.Where = predicate }
}

// WithRouting is how one of several hosts is chosen.
func WithRouting(routing Routing) CallOption {
	return func(o *callOptions) { o.Routing = routing }
}

// WithStickyKey takes always the same host for one key.
func WithStickyKey(key uint64) CallOption {
	return func(o *callOptions) { o.Routing, o.StickyKey = Sticky, key }
}

// WithHeader sends a header to the handler, its name in lower case.
func WithHeader(name, value string) CallOption {
	return func(o *callOptions) {
		if o.Headers == nil {
			o.Headers = make(map[string]string)
		}
		o.Headers[name] = value
	}
}

// WithStreamWindow is how far the host of a stream may run ahead of its reader, in credits: an event takes one for each 16 KiB that
// it begins. It is 1,024 unless said.
func WithStreamWindow(events uint32) CallOption {
	return func(o *callOptions) { o.StreamWindow = &events }
}

// WithIdempotencyKey is the key by which the handler knows tries of one logical call; a random one unless said.
func WithIdempotencyKey(key string) CallOption {
	return func(o *callOptions) { o.IdempotencyKey = key }
}

// until shortens the time that a call may take.
func (o *callOptions) until(left time.Duration) {
	deadline := max(left.Milliseconds(), 0)
	if o.DeadlineMs == nil || deadline < *o.DeadlineMs {
		o.DeadlineMs = &deadline
	}
}

// optionsOf are the options as JSON, with the deadline of the context.
func optionsOf(ctx context.Context, options []CallOption) ([]byte, error) {
	var how callOptions
	for _, option := range options {
		if option != nil {
			option(&how)
		}
	}
	if deadline, ok := ctx.Deadline(); ok {
		how.until(time.Until(deadline))
	}
	return encode(how, "the options of a call")
}
