package toolmesh

import (
	"encoding/json"
	"reflect"
)

// DefaultVersion is the version of a tool that says none.
const DefaultVersion = "1.0.0"

// ToolDescriptor is what a tool tells of itself; ToolID and Version together are its identity. Schemas are JSON texts.
type ToolDescriptor struct {
	// ToolID is the identifier under which it is called: letters, digits and _ . -.
	ToolID string `json:"tool_id"`
	// Name is the name.
	Name string `json:"name"`
	// Version is a semantic version.
	Version string `json:"version"`
	// Description says what it does, for models and people.
	Description *string `json:"description"`
	// InputSchema is the JSON Schema of the arguments; nil in a list where it is too large to be announced.
	InputSchema *string `json:"input_schema"`
	// OutputSchema is the JSON Schema of the result, likewise.
	OutputSchema *string `json:"output_schema"`
	// Requires is what the host needs to have, as tags.
	Requires []string `json:"requires"`
	// EstimatedTimeMs is the usual duration in milliseconds; 0 is unknown.
	EstimatedTimeMs uint32 `json:"estimated_time_ms"`
	// Stateless is whether a call leaves nothing behind at the host, so that it may be tried again elsewhere.
	Stateless bool `json:"stateless"`
	// Streaming is whether it sends events while it runs.
	Streaming bool `json:"streaming"`
	// Tags are words to find it by.
	Tags []string `json:"tags"`
	// PricingTerms are of whoever asks for a price; tools with some cannot be served here.
	PricingTerms *string `json:"pricing_terms,omitempty"`
	// NodeCount is how many nodes serve it, in a list.
	NodeCount uint32 `json:"node_count"`
	// Title is a name for people.
	Title *string `json:"title,omitempty"`
	// Icons are as MCP has them.
	Icons json.RawMessage `json:"icons,omitempty"`
	// Annotations are hints for clients, as MCP has them.
	Annotations json.RawMessage `json:"annotations,omitempty"`
}

// ToolOptions are what [DescriptorFor] makes a descriptor of. Everything but the name is optional.
type ToolOptions struct {
	// Name is the tool's identifier, under which it is called.
	Name string
	// Version is a semantic version, DefaultVersion unless said.
	Version string
	// Title and Description are for people and models.
	Title, Description string
	// InputSchema and OutputSchema are JSON Schemas: a JSON text, a json.RawMessage, or a value that encodes as one, such as a
	// map[string]any. Where there is none, registering a tool derives it from the handler's types.
	InputSchema, OutputSchema any
	// Requires names what the host must have.
	Requires []string
	// EstimatedTimeMs is the usual duration; 0 means unknown.
	EstimatedTimeMs uint32
	// Stateful says that a call leaves something behind on the host.
	Stateful bool
	// Streaming says that the tool streams its output; registering says it anyway.
	Streaming bool
	// Tags are for search.
	Tags []string
	// PricingTerms are opaque.
	PricingTerms string
}

// DescriptorFor makes a descriptor. What is wrong with it is told when the tool is registered.
func DescriptorFor(options ToolOptions) (ToolDescriptor, error) {
	descriptor := ToolDescriptor{
		ToolID: options.Name, Name: options.Name, Version: options.Version, Title: optional(options.Title),
		Description: optional(options.Description), Requires: listed(options.Requires),
		EstimatedTimeMs: options.EstimatedTimeMs, Stateless: !options.Stateful, Streaming: options.Streaming,
		Tags: listed(options.Tags), PricingTerms: optional(options.PricingTerms),
	}
	if descriptor.Version == "" {
		descriptor.Version = DefaultVersion
	}
	var err error
	if descriptor.InputSchema, err = schemaText(options.InputSchema, "the input schema"); err != nil {
		return ToolDescriptor{}, err
	}
	descriptor.OutputSchema, err = schemaText(options.OutputSchema, "the output schema")
	return descriptor, err
}

// derived fills in the schemas that a descriptor has not, from the handler's types.
func (d ToolDescriptor) derived(input, output reflect.Type) (ToolDescriptor, error) {
	d.Requires, d.Tags = listed(d.Requires), listed(d.Tags)
	for _, side := range []struct {
		schema    **string
		of        reflect.Type
		direction direction
	}{{&d.InputSchema, input, reads}, {&d.OutputSchema, output, writes}} {
		if *side.schema != nil || side.of == nil {
			continue
		}
		text, err := schemaOf(side.of, side.direction)
		if err != nil {
			return d, err
		}
		*side.schema = optional(string(text))
	}
	return d, nil
}

func schemaText(schema any, what string) (*string, error) {
	switch schema := schema.(type) {
	case nil:
		return nil, nil
	case string:
		return optional(schema), nil
	}
	text, err := encode(schema, what)
	if err != nil {
		return nil, err
	}
	return optional(string(text)), nil
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// listed is a list that is written as one, also when it is nil.
func listed(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
