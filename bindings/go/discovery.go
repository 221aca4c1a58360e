package toolmesh

// #include "native.h"
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// ToolMetadataFetchService is the service by which a host tells the whole descriptor of a tool.
const ToolMetadataFetchService = "tool.metadata.fetch"

// ListOption chooses what [ListTools] lists.
type ListOption func(*listOptions)

type listOptions struct {
	matcher *TagMatcher
}

// Matching lists the tools of the nodes that the matcher chooses; nil chooses all.
func Matching(matcher *TagMatcher) ListOption {
	return func(o *listOptions) { o.matcher = matcher }
}

// ListTools lists the tools that the node sees, its own included; nothing is asked of the network. Large schemas are fetched
// by [DescribeTool].
func ListTools(node *Node, options ...ListOption) ([]ToolDescriptor, error) {
	var chosen listOptions
	for _, option := range options {
		if option != nil {
			option(&chosen)
		}
	}
	text, err := matcherText(chosen.matcher)
	if err != nil {
		return nil, err
	}
	var tools []ToolDescriptor
	err = node.ask(&tools, "the list of tools", func(native *C.ToolmeshNode) C.ToolmeshAnswer {
		data, length := given(text)
		return C.toolmesh_list(native, data, length)
	})
	return tools, err
}

// DescribeTool tells the whole descriptor of the tool that a call would reach, large schemas included.
func DescribeTool(ctx context.Context, node *Node, tool string, options ...CallOption) (ToolDescriptor, error) {
	var descriptor ToolDescriptor
	how, err := optionsOf(ctx, options)
	if err != nil {
		return descriptor, err
	}
	begin := func(native *C.ToolmeshNode, cancel *C.ToolmeshToken, context C.uint64_t) {
		name, nameLen := given(tool)
		text, textLen := given(how)
		C.toolmesh_describe(native, name, nameLen, text, textLen, cancel, C.ToolmeshDone(C.toolmeshGoDone), context)
	}
	_, text, err := awaitOf[struct{}](ctx, node, begin)
	if err != nil {
		return descriptor, err
	}
	err = decode(text, &descriptor, "the descriptor")
	return descriptor, err
}

// ToolMetadata is what a host answers who is asked for a tool.
type ToolMetadata struct {
	// Type is found or not_found.
	Type string `json:"type"`
	// Descriptor is there when it was found.
	Descriptor *ToolDescriptor `json:"descriptor,omitempty"`
	// Name is what was asked for, when it was not found.
	Name string `json:"name,omitempty"`
}

// FetchToolMetadata asks one node for the whole descriptor of a tool.
func FetchToolMetadata(ctx context.Context, node *Node, host uint64, tool string) (ToolMetadata, error) {
	var metadata ToolMetadata
	begin := func(native *C.ToolmeshNode, cancel *C.ToolmeshToken, context C.uint64_t) {
		name, nameLen := given(tool)
		C.toolmesh_fetch_metadata(native, C.uint64_t(host), name, nameLen, cancel,
			C.ToolmeshDone(C.toolmeshGoDone), context)
	}
	_, text, err := awaitOf[struct{}](ctx, node, begin)
	if err != nil {
		return metadata, err
	}
	err = decode(text, &metadata, "the metadata of a tool")
	return metadata, err
}

// ToolListChange is one change of the list of tools.
type ToolListChange struct {
	// Type is added, removed, node_count_changed, changed (a tool tells something else of itself under the same version), or
	// resync (changes were lost: list again).
	Type string `json:"type"`
	// Descriptor is the tool's; resync has none.
	Descriptor *ToolDescriptor `json:"descriptor,omitempty"`
	// PrevNodeCount is how many nodes served it before a node_count_changed.
	PrevNodeCount *uint32 `json:"prev_node_count,omitempty"`
}

// UnmarshalJSON reads a change; one of an unknown type, or without what its type needs, is refused.
func (c *ToolListChange) UnmarshalJSON(text []byte) error {
	type plain ToolListChange
	if err := json.Unmarshal(text, (*plain)(c)); err != nil {
		return err
	}
	switch c.Type {
	case "resync":
		return nil
	case "node_count_changed":
		if c.PrevNodeCount == nil {
			return fmt.Errorf("a change node_count_changed needs a member `prev_node_count`")
		}
	case "added", "removed", "changed":
	default:
		return fmt.Errorf("%q is no change of a list of tools", c.Type)
	}
	if c.Descriptor == nil {
		return fmt.Errorf("a change %s needs a member `descriptor`", c.Type)
	}
	return nil
}

// WatchOptions say what is watched.
type WatchOptions struct {
	// Interval is the shortest time between two looks; zero leaves it to the library.
	Interval time.Duration
	// Matcher chooses nodes; nil chooses all.
	Matcher *TagMatcher
}

// WatchTools watches the list of tools until the context ends or the node is closed; both channels are closed then. The list
// that it gives was taken when the watch had begun, so that a change at that moment may be told although the list has it
// already. What the library tells and Go cannot read comes through errs; the watch goes on.
func WatchTools(
	ctx context.Context, node *Node, options WatchOptions,
) (changes <-chan ToolListChange, errs <-chan error, baseline []ToolDescriptor, err error) {
	text, err := matcherText(options.Matcher)
	if err != nil {
		return nil, nil, nil, err
	}
	var native *C.ToolmeshChanges
	err = node.with(func(of *C.ToolmeshNode) error {
		data, length := given(text)
		interval := C.uint64_t(max(options.Interval.Milliseconds(), 0))
		_, err := taken(C.toolmesh_watch(of, data, length, interval, &native))
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	baseline, err = ListTools(node, Matching(options.Matcher))
	if err != nil {
		C.toolmesh_changes_free(native)
		return nil, nil, nil, err
	}
	told, failed := make(chan ToolListChange), make(chan error, 1)
	go follow(ctx, node, native, told, failed)
	return told, failed, baseline, nil
}

func follow(
	ctx context.Context, node *Node, native *C.ToolmeshChanges, told chan<- ToolListChange, failed chan<- error,
) {
	defer close(failed)
	defer close(told)
	defer C.toolmesh_changes_free(native)
	for {
		_, text, err := await[struct{}](ctx, func(cancel *C.ToolmeshToken, context C.uint64_t) {
			C.toolmesh_changes_next(native, cancel, C.ToolmeshDone(C.toolmeshGoDone), context)
		})
		if err != nil {
			return
		}
		var change ToolListChange
		if err := decode(text, &change, "a change of the list"); err != nil {
			select {
			case failed <- err:
			default: // Nobody has read the last one.
			}
			continue
		}
		select {
		case told <- change:
		case <-ctx.Done():
			return
		case <-node.over:
			return
		}
	}
}
