package toolmesh

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestAnIntegerIsOneHoweverItIsSpelled(t *testing.T) {
	type inner struct {
		A int             `json:"a"`
		B []int8          `json:"b"`
		C map[string]uint `json:"c"`
		D *int64          `json:"d"`
	}
	type whole struct {
		In   inner           `json:"in"`
		Text string          `json:"text"`
		Any  any             `json:"any"`
		Raw  json.RawMessage `json:"raw"`
	}
	host, agent := pair(t)
	serve(t, host, "same", func(_ context.Context, given whole) (whole, error) { return given, nil })
	must(RegisterStreamingTool(host, named("stream"), func(_ context.Context, given whole, sink *ToolEventSink) error {
		return sink.Result(given.In.A)
	}))(t)
	raw := json.RawMessage(`{"in":{"a":3.0,"b":[1e1,-2.50e1,-0.0],"c":{"x":-0,"y":0e9},"d":-9.223372036854775808e18},` +
		`"text":"1e1 \"2.0","any":2.50,"raw":null}`)
	least := int64(math.MinInt64)
	want := inner{3, []int8{10, -25, 0}, map[string]uint{"x": 0, "y": 0}, &least}
	told := must(CallTool[json.RawMessage, whole](ctx, agent, "same", raw))(t)
	equal(t, told.In, want)
	equal(t, told.Text, `1e1 "2.0`)
	equal(t, told.Any, json.Number("2.50"))
	stream := must(CallToolStreaming(ctx, agent, "stream", raw))(t)
	last := ToolEvent{}
	for event, err := range stream.All() {
		must(none{}, err)(t)
		last = event
	}
	equal(t, last, ToolEvent{Type: EventResult, Data: json.RawMessage("3")})

	descriptor := must(DescriptorFor(ToolOptions{Name: "result", OutputSchema: map[string]any{}}))(t)
	must(RegisterTool(host, descriptor, func(context.Context, none) (json.RawMessage, error) {
		return json.RawMessage(`[1.0,2e2]`), nil
	}))(t)
	equal(t, must(CallTool[none, []int](ctx, agent, "result", none{}))(t), []int{1, 200})
}

func TestAnIntegerIsSpelledPlainlyUpToTheLengthOfTheLargest(t *testing.T) {
	for given, want := range map[string]string{
		"1.8446744073709551615e19":      "18446744073709551615",
		"1e19":                          "10000000000000000000",
		"1e20":                          "1e20",
		"100e18":                        "100e18",
		"1000e-2":                       "10",
		"1e-1":                          "1e-1",
		"1.5":                           "1.5",
		"0e99999999999999999999":        "0e99999999999999999999",
		"1e-9223372036854775808":        "1e-9223372036854775808",
		"1e9223372036854775807":         "1e9223372036854775807",
		"7":                             "7",
		`"1e1"`:                         `"1e1"`,
		`[true,"\\",1e1]`:               `[true,"\\",10]`,
		"1." + strings.Repeat("0", 100): "1",
	} {
		equal(t, string(plainIntegers([]byte(given))), want)
	}
	var largest uint64
	must(none{}, decode([]byte("1.8446744073709551615e19"), &largest, "it"))(t)
	equal(t, largest, uint64(math.MaxUint64))
	for _, beyond := range []string{"1.8446744073709551616e19", "1e20", "1.5", "-1.0"} {
		is(t, decode([]byte(beyond), &largest, "it"), ErrJSON)
	}
}
