package toolmesh

import (
	"encoding/json"
	"fmt"
)

// ToolEventType tells the kinds of events apart.
type ToolEventType string

const (
	// EventStart: the call began. It has ToolID, and may have CallID and Metadata.
	EventStart ToolEventType = "start"
	// EventProgress: it goes on. It may have Pct and Message.
	EventProgress ToolEventType = "progress"
	// EventDelta: a piece of partial output. It has Data.
	EventDelta ToolEventType = "delta"
	// EventResult: it is done. It has Data, and nothing follows.
	EventResult ToolEventType = "result"
	// EventError: it failed. It has Code and Message, may have Details, and nothing follows.
	EventError ToolEventType = "error"
)

// ToolEvent is one event of a call. Its type says which of the members it has.
type ToolEvent struct {
	// Type says what it is.
	Type ToolEventType
	// ToolID is the tool, of a start.
	ToolID string
	// CallID is the host's number of the call, of a start.
	CallID *uint64
	// Metadata is whatever the host tells, of a start.
	Metadata json.RawMessage
	// Pct is percent done, 0 to 100, of progress.
	Pct *float64
	// Message is a text for people, of progress and error.
	Message string
	// Data is a piece of partial output, or the result.
	Data json.RawMessage
	// Code is the stable word for what failed, of an error.
	Code string
	// Details is more of an error.
	Details json.RawMessage
}

// IsTerminal is whether nothing follows this event.
func (e ToolEvent) IsTerminal() bool { return e.Type == EventResult || e.Type == EventError }

// wireEvent has every member that an event may have; those of another type are absent.
type wireEvent struct {
	Type     ToolEventType    `json:"type"`
	ToolID   *string          `json:"tool_id,omitempty"`
	CallID   *uint64          `json:"call_id,omitempty"`
	Metadata json.RawMessage  `json:"metadata,omitempty"`
	Pct      *float64         `json:"pct,omitempty"`
	Code     *string          `json:"code,omitempty"`
	Message  *string          `json:"message,omitempty"`
	Data     *json.RawMessage `json:"data,omitempty"`
	Details  json.RawMessage  `json:"details,omitempty"`
}

// null is what data is that nobody gave.
var null = json.RawMessage("null")

// MarshalJSON writes the members that the type of the event has, and no other.
func (e ToolEvent) MarshalJSON() ([]byte, error) {
	wire := wireEvent{Type: e.Type}
	switch e.Type {
	case EventStart:
		wire.ToolID, wire.CallID, wire.Metadata = &e.ToolID, e.CallID, e.Metadata
	case EventProgress:
		wire.Pct, wire.Message = e.Pct, optional(e.Message)
	case EventDelta, EventResult:
		wire.Data = &e.Data
		if e.Data == nil {
			wire.Data = &null
		}
	case EventError:
		wire.Code, wire.Message, wire.Details = &e.Code, &e.Message, e.Details
	default:
		return nil, fmt.Errorf("a tool event is start, progress, delta, result or error")
	}
	return json.Marshal(wire)
}

// UnmarshalJSON reads an event; one without what its type needs is refused, members that are not known are passed over.
func (e *ToolEvent) UnmarshalJSON(text []byte) error {
	var wire struct {
		wireEvent
		// Where it stands in the way of the other: data that is null is there.
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(text, &wire); err != nil {
		return err
	}
	missing := ""
	switch wire.Type {
	case EventStart:
		missing = absent("tool_id", wire.ToolID == nil)
	case EventProgress:
	case EventDelta, EventResult:
		missing = absent("data", wire.Data == nil)
	case EventError:
		missing = absent("code", wire.Code == nil) + absent("message", wire.Message == nil)
	default:
		return fmt.Errorf("a tool event is start, progress, delta, result or error")
	}
	if missing != "" {
		return fmt.Errorf("a tool event of the type %s needs a member `%s`", wire.Type, missing)
	}
	*e = ToolEvent{
		Type: wire.Type, ToolID: value(wire.ToolID), CallID: wire.CallID, Metadata: wire.Metadata, Pct: wire.Pct,
		Message: value(wire.Message), Data: wire.Data, Code: value(wire.Code), Details: wire.Details,
	}
	return nil
}

func absent(name string, isAbsent bool) string {
	if isAbsent {
		return name
	}
	return ""
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
