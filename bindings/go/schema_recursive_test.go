package toolmesh

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type (
	lists    []lists
	maps     map[string]maps
	pointed  map[string]*pointed
	link     *[]link
	pairs    [2]*pairs
	forest   map[string]*trunk
	trunk    struct{ Kids forest }
	leaf     struct{ More *[]leaf }
	rows     []columns
	columns  map[string]rows
	twice    struct{ First, Second rows }
	itself   *itself
	there    *back
	back     *there
	chain    struct{ Chain *itself }
	generic  struct{ Of holder[map[string]int] }
	plainly  []string
	unharmed struct{ A, B plainly }
)

type holder[T any] struct {
	Value T
	Next  *holder[T]
}

func TestTypesThatContainThemselvesHaveSchemas(t *testing.T) {
	for name, one := range map[string]struct {
		derive func() (json.RawMessage, error)
		want   string
	}{
		"a list of itself": {SchemaFor[lists], `{"type":"array","items":{"$ref":"#/$defs/lists"},"$defs":{
			"lists":{"type":["array","null"],"items":{"$ref":"#/$defs/lists"}}}}`},
		"a map of itself": {SchemaFor[maps], `{"type":"object","additionalProperties":{"$ref":"#/$defs/maps"},"$defs":{
			"maps":{"type":["object","null"],"additionalProperties":{"$ref":"#/$defs/maps"}}}}`},
		"a map of pointers to itself": {SchemaFor[pointed], `{"type":"object",
			"additionalProperties":{"anyOf":[{"$ref":"#/$defs/pointed"},{"type":"null"}]},"$defs":{
			"pointed":{"type":["object","null"],"additionalProperties":{"anyOf":[{"$ref":"#/$defs/pointed"},{"type":"null"}]}}}}`},
		"a pointer to a list of itself": {SchemaFor[struct{ L link }], `{"type":"object","additionalProperties":false,
			"properties":{"L":{"$ref":"#/$defs/link"}},"$defs":{
			"link":{"type":["array","null"],"items":{"$ref":"#/$defs/link"}}}}`},
		"an array of pointers to itself": {SchemaFor[struct{ P pairs }], `{"type":"object","additionalProperties":false,
			"required":["P"],"properties":{"P":{"$ref":"#/$defs/pairs"}},"$defs":{"pairs":{"type":"array",
			"items":{"anyOf":[{"$ref":"#/$defs/pairs"},{"type":"null"}]},"minItems":2,"maxItems":2}}}`},
		"a struct in a map that is in it": {SchemaFor[trunk], `{"type":"object","additionalProperties":false,
			"required":["Kids"],"properties":{"Kids":{"type":["object","null"],
			"additionalProperties":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}}`},
		"a struct behind a pointer to a list": {SchemaFor[leaf], `{"type":"object","additionalProperties":false,
			"properties":{"More":{"type":["array","null"],"items":{"$ref":"#"}}}}`},
		"two that contain each other, met twice": {SchemaFor[twice], `{"type":"object","additionalProperties":false,
			"required":["First","Second"],"properties":{"First":{"$ref":"#/$defs/rows"},"Second":{"$ref":"#/$defs/rows"}},
			"$defs":{"rows":{"type":["array","null"],"items":
			{"type":["object","null"],"additionalProperties":{"$ref":"#/$defs/rows"}}}}}`},
		"a named list that does not": {SchemaFor[unharmed], `{"type":"object","additionalProperties":false,
			"required":["A","B"],"properties":{"A":{"type":["array","null"],"items":{"type":"string"}},
			"B":{"type":["array","null"],"items":{"type":"string"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, plain(t, must(one.derive())(t)), plain(t, json.RawMessage(one.want)))
		})
	}
	must(SchemaFor[generic]())(t)
}

func TestAPointerToNothingButItselfHasNoSchema(t *testing.T) {
	for name, derive := range map[string]func() (json.RawMessage, error){
		"itself": SchemaFor[itself], "there": SchemaFor[there], "chain.Chain": SchemaFor[chain],
		"List[]": SchemaFor[struct{ List []back }],
	} {
		_, err := derive()
		is(t, err, ErrInvalid)
		if !strings.Contains(err.Error(), name) {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

type grown struct {
	Lists   lists   `json:"lists"`
	Maps    maps    `json:"maps"`
	Pointed pointed `json:"pointed"`
	Link    link    `json:"link"`
	Pairs   pairs   `json:"pairs"`
	Trunk   trunk   `json:"trunk"`
	Rows    rows    `json:"rows"`
}

func TestValuesOfTypesThatContainThemselvesCrossAndOthersDoNot(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "same", func(_ context.Context, given grown) (grown, error) { return given, nil })
	given := grown{
		Lists: lists{nil, {}, {{}, nil}}, Maps: maps{"a": nil, "b": {"c": {}}}, Pointed: pointed{"a": nil, "b": &pointed{}},
		Link: &[]link{nil, &[]link{}}, Pairs: pairs{nil, &pairs{}}, Trunk: trunk{forest{"a": nil, "b": &trunk{forest{}}}},
		Rows: rows{{"a": rows{{}, nil}}, nil},
	}
	equal(t, must(CallTool[grown, grown](ctx, agent, "same", given))(t), given)
	for member, wrong := range map[string]any{
		"lists": []any{[]any{1}}, "maps": map[string]any{"a": map[string]any{"b": "c"}}, "link": []any{[]any{true}},
		"pairs": []any{nil, []any{nil, 1}}, "rows": []any{map[string]any{"a": []any{[]any{}}}},
	} {
		whole := plain(t, given).(map[string]any)
		whole[member] = wrong
		_, err := CallTool[any, any](ctx, agent, "same", whole)
		is(t, err, ErrInvalidArguments)
	}
}
