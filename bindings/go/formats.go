package toolmesh

// #include "native.h"
import "C"

import (
	"encoding/json"
	"runtime"
)

// ToOpenAITool is the tool as OpenAI writes it, to the letter that other programs of the tool mesh know; see [Toolset] for what
// providers accept today.
func ToOpenAITool(descriptor ToolDescriptor) (map[string]any, error) {
	return plainTool("openai", descriptor)
}

// ToAnthropicTool is the tool as Anthropic writes it.
func ToAnthropicTool(descriptor ToolDescriptor) (map[string]any, error) {
	return plainTool("anthropic", descriptor)
}

// ToMCPTool is the tool as MCP writes it.
func ToMCPTool(descriptor ToolDescriptor) (map[string]any, error) {
	return plainTool("mcp", descriptor)
}

// ToGeminiFunctionDeclaration is the tool as Gemini writes it.
func ToGeminiFunctionDeclaration(descriptor ToolDescriptor) (map[string]any, error) {
	return plainTool("gemini", descriptor)
}

// ToolCallSpec is a model's call of a tool.
type ToolCallSpec struct {
	// Name is the tool's, as the model was given it.
	Name string `json:"name"`
	// ArgumentsJSON is the arguments as a JSON text.
	ArgumentsJSON string `json:"arguments_json"`
	// ProviderCallID is the provider's id of the call, which its result needs; nil where the provider has none.
	ProviderCallID *string `json:"provider_call_id"`
}

// LowerOpenAIToolCall is the call in an entry of tool_calls; [ErrToolCallParse] when there is none. The reply is any value that
// encodes as the JSON that came, a json.RawMessage for instance.
func LowerOpenAIToolCall(reply any) (ToolCallSpec, error) { return plainCall("openai", reply) }

// LowerAnthropicToolUse is the call in a block tool_use; [ErrToolCallParse] when there is none.
func LowerAnthropicToolUse(block any) (ToolCallSpec, error) { return plainCall("anthropic", block) }

// LowerMCPToolsCall is the call in the params of tools/call; [ErrToolCallParse] when there is none.
func LowerMCPToolsCall(params any) (ToolCallSpec, error) { return plainCall("mcp", params) }

// LowerGeminiFunctionCall is the call in a functionCall; [ErrToolCallParse] when there is none.
func LowerGeminiFunctionCall(call any) (ToolCallSpec, error) { return plainCall("gemini", call) }

func plainTool(format string, descriptor ToolDescriptor) (map[string]any, error) {
	if err := checkABI(); err != nil {
		return nil, err
	}
	text, err := encode(descriptor, "the descriptor")
	if err != nil {
		return nil, err
	}
	var tool map[string]any
	name, nameLen := given(format)
	data, length := given(text)
	err = read(C.toolmesh_to_tool(name, nameLen, data, length), &tool, "a tool")
	return tool, err
}

func plainCall(format string, reply any) (ToolCallSpec, error) {
	var call ToolCallSpec
	if err := checkABI(); err != nil {
		return call, err
	}
	text, err := encode(reply, "the reply")
	if err != nil {
		return call, err
	}
	name, nameLen := given(format)
	data, length := given(text)
	err = read(C.toolmesh_lower_call(name, nameLen, data, length), &call, "a tool call")
	return call, err
}

// read reads what an answer says, as JSON.
func read(answer C.ToolmeshAnswer, value any, what string) error {
	text, err := taken(answer)
	if err != nil {
		return err
	}
	return decode(text, value, what)
}

// Provider is whose API takes the tools.
type Provider string

// The providers.
const (
	// OpenAI is OpenAI's chat completions.
	OpenAI Provider = "openai"
	// OpenAIResponses is OpenAI's responses.
	OpenAIResponses Provider = "openai-responses"
	// Anthropic is Anthropic's messages.
	Anthropic Provider = "anthropic"
	// Gemini is Google's Gemini.
	Gemini Provider = "gemini"
	// MCP is the Model Context Protocol.
	MCP Provider = "mcp"
)

// Toolset is tools translated as a whole for one provider: names that it allows, schemas that it takes, and the way back. It
// may be used from several goroutines.
type Toolset struct {
	native *C.ToolmeshToolset
}

// ToolWarning tells what was changed or could not be carried over.
type ToolWarning struct {
	// Tool is whose.
	Tool string `json:"tool"`
	// Place is where in its schema.
	Place string `json:"place"`
	// Message says what was done.
	Message string `json:"message"`
}

// ModelCall is a call in a model's reply. Error is set where it cannot be made.
type ModelCall struct {
	// Name is the tool's own.
	Name string `json:"name"`
	// Arguments are what to call it with.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// CallID is the provider's id of the call.
	CallID *string `json:"call_id,omitempty"`
	// Error says why the call cannot be made.
	Error string `json:"error,omitempty"`
}

// ModelReply is what a call came to; with IsError, Result is the text of the failure.
type ModelReply struct {
	// Name is the tool's own, as in its ModelCall.
	Name string `json:"name"`
	// CallID is that of the ModelCall.
	CallID *string `json:"call_id,omitempty"`
	// Result is the result, or the text of the failure.
	Result any `json:"result"`
	// IsError says that it failed.
	IsError bool `json:"is_error,omitempty"`
}

// NewToolset translates tools for a provider. It fails with [ErrInvalid] for another provider, or a descriptor that cannot be
// translated.
func NewToolset(provider Provider, tools []ToolDescriptor) (*Toolset, error) {
	if err := checkABI(); err != nil {
		return nil, err
	}
	if tools == nil {
		tools = []ToolDescriptor{}
	}
	text, err := encode(tools, "the descriptors")
	if err != nil {
		return nil, err
	}
	set := &Toolset{}
	name, nameLen := given(string(provider))
	data, length := given(text)
	if _, err := taken(C.toolmesh_toolset_translate(name, nameLen, data, length, &set.native)); err != nil {
		return nil, err
	}
	// It holds nothing but memory, so that nobody has to close it.
	runtime.SetFinalizer(set, func(set *Toolset) { C.toolmesh_toolset_free(set.native) })
	return set, nil
}

// library is the library's toolset; it refuses none in words.
func (t *Toolset) library() *C.ToolmeshToolset {
	if t == nil {
		return nil
	}
	return t.native
}

// Tools are what to send as the request's tools.
func (t *Toolset) Tools() ([]map[string]any, error) {
	var tools []map[string]any
	err := read(C.toolmesh_toolset_tools(t.library()), &tools, "the tools")
	runtime.KeepAlive(t)
	return tools, err
}

// Warnings tell what was changed or could not be carried over.
func (t *Toolset) Warnings() ([]ToolWarning, error) {
	var warnings []ToolWarning
	err := read(C.toolmesh_toolset_warnings(t.library()), &warnings, "the warnings")
	runtime.KeepAlive(t)
	return warnings, err
}

// Calls are the calls in a model's whole reply, any value that encodes as the JSON that came. It fails with
// [ErrInvalid] when that is no reply of this provider.
func (t *Toolset) Calls(reply any) ([]ModelCall, error) {
	var calls []ModelCall
	err := t.answer(reply, "the reply", &calls, func(data *C.uint8_t, length C.size_t) C.ToolmeshAnswer {
		return C.toolmesh_toolset_calls(t.library(), data, length)
	})
	return calls, err
}

// Messages are the results of a turn as the messages that go back to the model.
func (t *Toolset) Messages(replies []ModelReply) ([]map[string]any, error) {
	var messages []map[string]any
	err := t.answer(replies, "the replies", &messages, func(data *C.uint8_t, length C.size_t) C.ToolmeshAnswer {
		return C.toolmesh_toolset_messages(t.library(), data, length)
	})
	return messages, err
}

func (t *Toolset) answer(
	question any, what string, value any, ask func(data *C.uint8_t, length C.size_t) C.ToolmeshAnswer,
) error {
	text, err := encode(question, what)
	if err != nil {
		return err
	}
	err = read(ask(given(text)), value, "the answer about "+what)
	runtime.KeepAlive(t)
	return err
}
