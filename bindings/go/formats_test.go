package toolmesh

import (
	"encoding/json"
	"errors"
	"testing"
)

type formatVectors struct {
	Descriptors []struct {
		Name             string
		Input            json.RawMessage
		LoweredOpenAI    any `json:"lowered_openai"`
		LoweredAnthropic any `json:"lowered_anthropic"`
		LoweredMCP       any `json:"lowered_mcp"`
		LoweredGemini    any `json:"lowered_gemini"`
	}
	OpenAI    []callCase `json:"lower_openai_cases"`
	Anthropic []callCase `json:"lower_anthropic_cases"`
	MCP       []callCase `json:"lower_mcp_cases"`
	Gemini    []callCase `json:"lower_gemini_cases"`
	Errors    []struct {
		Name, Provider string
		Reply          json.RawMessage `json:"reply_json"`
	} `json:"error_cases"`
}

type callCase struct {
	Name  string
	Reply json.RawMessage `json:"reply_json"`
	Spec  struct {
		Name            string
		ProviderCallID  *string `json:"provider_call_id"`
		ArgumentsJSON   *string `json:"arguments_json"`
		ArgumentsParsed any     `json:"arguments_parsed"`
	} `json:"expected_spec"`
}

var lower = map[string]func(any) (ToolCallSpec, error){
	"openai": LowerOpenAIToolCall, "anthropic": LowerAnthropicToolUse, "mcp": LowerMCPToolsCall,
	"gemini": LowerGeminiFunctionCall,
}

func vectors(t *testing.T) formatVectors {
	var vectors formatVectors
	testdata(t, "golden_vectors.json", &vectors)
	return vectors
}

// described is a descriptor of the vectors, whose schemas are objects under names of their own.
func described(t *testing.T, input json.RawMessage) ToolDescriptor {
	var schemas struct {
		Input  json.RawMessage `json:"input_schema_object"`
		Output json.RawMessage `json:"output_schema_object"`
	}
	var descriptor ToolDescriptor
	must(none{}, json.Unmarshal(input, &schemas))(t)
	must(none{}, json.Unmarshal(input, &descriptor))(t)
	for from, to := range map[*json.RawMessage]**string{
		&schemas.Input: &descriptor.InputSchema, &schemas.Output: &descriptor.OutputSchema,
	} {
		if string(*from) != "null" {
			*to = optional(string(*from))
		}
	}
	return descriptor
}

func TestToolsAreWrittenAsEverywhere(t *testing.T) {
	cases := vectors(t).Descriptors
	equal(t, len(cases), 3)
	for _, one := range cases {
		descriptor := described(t, one.Input)
		for _, form := range []struct {
			write func(ToolDescriptor) (map[string]any, error)
			want  any
		}{
			{ToOpenAITool, one.LoweredOpenAI}, {ToAnthropicTool, one.LoweredAnthropic},
			{ToMCPTool, one.LoweredMCP}, {ToGeminiFunctionDeclaration, one.LoweredGemini},
		} {
			equal(t, plain(t, must(form.write(descriptor))(t)), form.want)
		}
	}
}

func TestDescriptorsAreReadAndWrittenAsEverywhere(t *testing.T) {
	for _, one := range vectors(t).Descriptors {
		descriptor := described(t, one.Input)
		want := plain(t, one.Input).(map[string]any)
		for _, side := range []string{"input_schema", "output_schema"} {
			want[side] = want[side+"_object"]
			delete(want, side+"_object")
		}
		have := plain(t, descriptor).(map[string]any)
		for _, side := range []string{"input_schema", "output_schema"} {
			if text, ok := have[side].(string); ok {
				have[side] = plain(t, json.RawMessage(text))
			}
		}
		equal(t, have, want)
	}
}

func TestCallsAreReadAsEverywhere(t *testing.T) {
	vectors := vectors(t)
	for provider, cases := range map[string][]callCase{
		"openai": vectors.OpenAI, "anthropic": vectors.Anthropic, "mcp": vectors.MCP, "gemini": vectors.Gemini,
	} {
		if len(cases) == 0 {
			t.Fatalf("there is no case of %s", provider)
		}
		for _, one := range cases {
			call := must(lower[provider](one.Reply))(t)
			equal(t, call.Name, one.Spec.Name)
			equal(t, call.ProviderCallID, one.Spec.ProviderCallID)
			if one.Spec.ArgumentsJSON != nil {
				equal(t, call.ArgumentsJSON, *one.Spec.ArgumentsJSON)
			} else {
				equal(t, plain(t, json.RawMessage(call.ArgumentsJSON)), one.Spec.ArgumentsParsed)
			}
		}
	}
}

func TestWhatIsNoCallIsRefused(t *testing.T) {
	cases := vectors(t).Errors
	equal(t, len(cases), 4)
	for _, one := range cases {
		if _, err := lower[one.Provider](one.Reply); !errors.Is(err, ErrToolCallParse) {
			t.Fatalf("%s: %v", one.Name, err)
		}
	}
}

func TestAToolsetGoesToTheModelAndBack(t *testing.T) {
	descriptor := must(DescriptorFor(ToolOptions{
		Name: "web.search", Description: "Search.",
		InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`,
	}))(t)
	set := must(NewToolset(Anthropic, []ToolDescriptor{descriptor}))(t)
	sent := must(set.Tools())(t)[0]["name"]
	big := json.RawMessage(`{"n":1180591620717411303424}`)
	reply := map[string]any{"content": []any{map[string]any{
		"type": "tool_use", "id": "c1", "name": sent, "input": big,
	}}}
	id := "c1"
	equal(t, must(set.Calls(reply))(t), []ModelCall{{Name: "web.search", Arguments: big, CallID: &id}})
	messages := must(set.Messages([]ModelReply{{Name: "web.search", CallID: &id, Result: map[string]any{"hits": []int{}}}}))(t)
	equal(t, len(messages), 1)
	must(set.Warnings())(t)
	_, err := NewToolset("cohere", nil)
	is(t, err, ErrInvalid)
}
