package toolmesh

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"
)

type tree struct {
	Name     string `json:"name" description:"What it is called." jsonschema:"minLength=1,pattern=^[a-z\\,]+$"`
	Children []tree `json:"children,omitempty"`
	Parent   *tree  `json:"parent"`
}

type place struct {
	City string `json:"city"`
}

type stamped struct {
	At    time.Time `json:"at"`
	place           // embedded: its fields are the struct's
	City  string    `json:"-"`
}

type everything struct {
	Small   int8            `json:"small" jsonschema:"minimum=-5,default=1"`
	Large   uint64          `json:"large"`
	Ratio   float32         `json:"ratio"`
	Yes     bool            `json:"yes"`
	Mode    string          `json:"mode" jsonschema:"enum=fast,enum=slow,title=How"`
	Raw     []byte          `json:"raw"`
	When    time.Time       `json:"when"`
	Pair    [2]string       `json:"pair"`
	Weights map[string]any  `json:"weights"`
	ByID    map[int]place   `json:"by_id"`
	Place   place           `json:"place"`
	Maybe   *place          `json:"maybe,omitempty"`
	Note    *string         `json:"note"`
	Quoted  int64           `json:"quoted,string"`
	Address netip.Addr      `json:"address"`
	Rest    json.RawMessage `json:"rest,omitempty"`
	Number  json.Number     `json:"number,omitempty"`
	hidden  chan int
	Skipped chan int `json:"-"`
}

func TestSchemasAreDerivedFromTypesAndTags(t *testing.T) {
	for name, one := range map[string]struct {
		have func() (json.RawMessage, error)
		want string
	}{
		"everything": {SchemaFor[everything], `{"type":"object","additionalProperties":false,
			"required":["small","large","ratio","yes","mode","raw","when","pair","weights","by_id","place","quoted","address"],
			"properties":{
			"small":{"type":"integer","minimum":-5,"maximum":127,"default":1},
			"large":{"type":"integer","minimum":0,"maximum":18446744073709551615},
			"ratio":{"type":"number"},"yes":{"type":"boolean"},
			"mode":{"type":"string","enum":["fast","slow"],"title":"How"},
			"raw":{"type":["string","null"],"contentEncoding":"base64"},"when":{"type":"string","format":"date-time"},
			"pair":{"type":"array","items":{"type":"string"},"minItems":2,"maxItems":2},
			"weights":{"type":["object","null"],"additionalProperties":{}},
			"by_id":{"type":["object","null"],"additionalProperties":{"$ref":"#/$defs/place"},"propertyNames":{"pattern":"^-?[0-9]+$"}},
			"place":{"$ref":"#/$defs/place"},"maybe":{"anyOf":[{"$ref":"#/$defs/place"},{"type":"null"}]},
			"note":{"type":["string","null"]},"quoted":{"type":"string"},"address":{"type":"string"},"rest":{},
			"number":{"type":"number"}},
			"$defs":{"place":{"type":"object","additionalProperties":false,"required":["city"],
				"properties":{"city":{"type":"string"}}}}}`},
		"a struct that contains itself": {SchemaFor[tree], `{"type":"object","additionalProperties":false,"required":["name"],
			"properties":{"name":{"type":"string","description":"What it is called.","minLength":1,"pattern":"^[a-z,]+$"},
			"children":{"type":["array","null"],"items":{"$ref":"#"}},"parent":{"anyOf":[{"$ref":"#"},{"type":"null"}]}}}`},
		"an embedded struct": {SchemaFor[stamped], `{"type":"object","additionalProperties":false,"required":["at","city"],
			"properties":{"at":{"type":"string","format":"date-time"},"city":{"type":"string"}}}`},
		"a list": {SchemaFor[[]place], `{"type":"array","items":{"$ref":"#/$defs/place"},"$defs":{"place":
			{"type":"object","additionalProperties":false,"required":["city"],"properties":{"city":{"type":"string"}}}}}`},
	} {
		have := string(must(one.have())(t))
		// Compared as JSON with every digit.
		var left, right any
		must(none{}, decode([]byte(have), &left, name))(t)
		must(none{}, decode([]byte(one.want), &right, name))(t)
		equal(t, left, right)
	}
}

func TestWhatHasNoSchemaIsNamed(t *testing.T) {
	type inner struct{ Channel chan int }
	for place, derive := range map[string]func() (json.RawMessage, error){
		"Inner.Channel": SchemaFor[struct{ Inner inner }],
		"Call":          SchemaFor[struct{ Call func() }],
		"Odd":           SchemaFor[struct{ Odd map[[2]int]string }],
		"Own":           SchemaFor[struct{ Own ToolEvent }],
		"Tag": SchemaFor[struct {
			Tag string `jsonschema:"minimun=1"`
		}],
		"Count": SchemaFor[struct {
			Count int `jsonschema:"minimum=one"`
		}],
	} {
		_, err := derive()
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), place) {
			t.Fatalf("%s: %v", place, err)
		}
	}
}

type color string

func (color) JSONSchema() json.RawMessage { return json.RawMessage(`{"enum":["red","blue"]}`) }

func TestATypeMayTellItsOwnSchema(t *testing.T) {
	equal(t, string(must(SchemaFor[struct {
		Color color `json:"color"`
	}]())(t)),
		`{"additionalProperties":false,"properties":{"color":{"enum":["red","blue"]}},"required":["color"],"type":"object"}`)
}

type order struct {
	Tree  tree           `json:"tree"`
	Mode  string         `json:"mode" jsonschema:"enum=fast,enum=slow"`
	Small int8           `json:"small"`
	Raw   []byte         `json:"raw,omitempty"`
	When  time.Time      `json:"when,omitzero"`
	By    map[string]int `json:"by,omitempty"`
	Note  *string        `json:"note,omitempty"`
}

func TestArgumentsArriveAsWhatTheTypesSay(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "plant", func(_ context.Context, given order) (order, error) { return given, nil })
	note := "soon"
	given := order{
		Tree: tree{Name: "oak", Children: []tree{{Name: "twig"}}}, Mode: "fast", Small: -128, Raw: []byte{0, 255},
		When: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC), By: map[string]int{"a": 1}, Note: &note,
	}
	equal(t, must(CallTool[order, order](ctx, agent, "plant", given))(t), given)
}

func TestWhatTheTypesDoNotAllowNeverReachesTheHandler(t *testing.T) {
	host, agent := pair(t)
	serve(t, host, "plant", func(context.Context, order) (none, error) {
		t.Error("the handler ran")
		return none{}, nil
	})
	for _, wrong := range []string{
		`{}`, `{"tree":{"name":"oak"},"mode":"other","small":1}`, `{"tree":{"name":"oak"},"mode":"fast","small":128}`,
		`{"tree":{"name":"oak","leaves":3},"mode":"fast","small":1}`, `{"tree":{"name":""},"mode":"fast","small":1}`,
		`{"tree":{"name":"oak","children":[{}]},"mode":"fast","small":1}`,
		`{"tree":{"name":"oak"},"mode":"fast","small":1,"by":{"a":"heavy"}}`,
		`{"tree":{"name":"oak"},"mode":"fast","small":1,"unknown":1}`,
	} {
		_, err := CallTool[json.RawMessage, any](ctx, agent, "plant", json.RawMessage(wrong))
		is(t, err, ErrInvalidArguments)
	}
}

func TestANumberThatAFloatDoesNotHoldIsNeverInfiniteAndZeroHasNoSign(t *testing.T) {
	type floats struct {
		Large float64 `json:"large"`
		Small float32 `json:"small"`
	}
	host, agent := pair(t)
	ran := false
	serve(t, host, "floats", func(_ context.Context, given floats) (floats, error) {
		ran = true
		return given, nil
	})
	for _, wrong := range []string{`{"large":1e400,"small":1}`, `{"large":1,"small":-1e39}`} {
		_, err := CallTool[json.RawMessage, any](ctx, agent, "floats", json.RawMessage(wrong))
		is(t, err, ErrToolFailed)
		if !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Fatal(err)
		}
	}
	equal(t, ran, false)
	largest := floats{math.MaxFloat64, math.SmallestNonzeroFloat32}
	equal(t, must(CallTool[floats, floats](ctx, agent, "floats", largest))(t), largest)
	zero := must(CallTool[floats, floats](ctx, agent, "floats", floats{Large: math.Copysign(0, -1)}))(t)
	equal(t, math.Signbit(zero.Large), false)
}

func TestNilListsAndMapsAreResults(t *testing.T) {
	type lists struct {
		Names []string       `json:"names"`
		By    map[string]int `json:"by"`
		Raw   []byte         `json:"raw"`
		Maybe *place         `json:"maybe"`
	}
	host, agent := pair(t)
	serve(t, host, "empty", func(context.Context, none) (lists, error) { return lists{}, nil })
	equal(t, must(CallTool[none, lists](ctx, agent, "empty", none{}))(t), lists{})
}
