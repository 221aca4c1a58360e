package toolmesh

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// field is a field of a struct as encoding/json sees it.
type field struct {
	reflect.StructField
	name string
	// depth is how many embedded structs it is inside of, tagged whether its json tag names it: of several fields with one name
	// the shallowest is taken, then the tagged one, and none of those that are alike.
	depth  int
	tagged bool
	// optional is whether it may be left out, quoted whether the json tag says `string`.
	optional, quoted bool
}

// object is a struct as an object with its fields, and no others.
func (s *schemas) object(of reflect.Type, place string) (schema, error) {
	properties, required := schema{}, []string{}
	for _, field := range fieldsOf(of) {
		property, err := s.property(field, place+"."+field.Name)
		if err != nil {
			return nil, err
		}
		properties[field.name] = property
		if !field.optional {
			required = append(required, field.name)
		}
	}
	object := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		object["required"] = required
	}
	return object, nil
}

func (s *schemas) property(field field, place string) (schema, error) {
	property, err := s.of(field.Type, place)
	if err != nil {
		return nil, err
	}
	if field.quoted {
		property = schema{"type": "string"}
		if field.Type.Kind() == reflect.Pointer {
			property = nullable(property)
		}
	}
	if text, ok := field.Tag.Lookup("description"); ok {
		property["description"] = text
	}
	if tag, ok := field.Tag.Lookup("jsonschema"); ok {
		return property, annotate(property, tag, place)
	}
	return property, nil
}

// fieldsOf are the fields of a struct that encoding/json reads and writes, in their order.
func fieldsOf(of reflect.Type) []field {
	all := collect(of, 0, false, nil)
	chosen := make([]field, 0, len(all))
	for _, one := range all {
		if slices.IndexFunc(all, func(other field) bool { return hides(other, one) }) < 0 {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

// hides is whether one field keeps another of the same name from being seen.
func hides(other, one field) bool {
	if other.name != one.name || reflect.DeepEqual(other.Index, one.Index) {
		return false
	}
	if other.depth != one.depth {
		return other.depth < one.depth
	}
	return other.tagged || !one.tagged
}

// collect are the fields of a struct and of those embedded in it; within are the embedded ones that are open.
func collect(of reflect.Type, depth int, optional bool, within []reflect.Type) []field {
	var fields []field
	for i := range of.NumField() {
		one := of.Field(i)
		name, options, _ := strings.Cut(one.Tag.Get("json"), ",")
		if name == "-" && options == "" {
			continue
		}
		embedded, pointed := one.Type, one.Type.Kind() == reflect.Pointer
		if pointed {
			embedded = embedded.Elem()
		}
		if one.Anonymous && name == "" && isPlainStruct(embedded) {
			if !slices.Contains(within, embedded) && (one.IsExported() || !pointed) {
				inner := collect(embedded, depth+1, optional || pointed, append(within, embedded))
				for j := range inner {
					inner[j].Index = append([]int{i}, inner[j].Index...)
				}
				fields = append(fields, inner...)
			}
			continue
		}
		if one.IsExported() {
			fields = append(fields, made(one, name, options, depth, optional || pointed))
		}
	}
	return fields
}

func made(of reflect.StructField, name, options string, depth int, optional bool) field {
	said := strings.Split(options, ",")
	made := field{StructField: of, name: name, depth: depth, tagged: name != ""}
	if name == "" {
		made.name = of.Name
	}
	made.optional = optional || slices.Contains(said, "omitempty") || slices.Contains(said, "omitzero")
	made.quoted = slices.Contains(said, "string") && isScalar(of.Type)
	return made
}

// isScalar is whether the option `string` of a json tag says anything of a type.
func isScalar(of reflect.Type) bool {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of.Kind() >= reflect.Bool && of.Kind() <= reflect.Float64 || of.Kind() == reflect.String
}

// texts are the members of a jsonschema tag that are texts, numbers those that are numbers.
var (
	texts   = []string{"title", "description", "format", "pattern"}
	numbers = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
	counts  = []string{"minLength", "maxLength", "minItems", "maxItems"}
)

// annotate puts what a jsonschema tag says into a schema.
func annotate(property schema, tag, place string) error {
	for _, part := range parts(tag) {
		name, text, _ := strings.Cut(part, "=")
		switch {
		case slices.Contains(texts, name):
			property[name] = text
		case slices.Contains(numbers, name), slices.Contains(counts, name):
			var number json.Number
			if err := decode([]byte(text), &number, name); err != nil {
				return invalid("%s: `%s` of the tag jsonschema is a number, not %q", place, name, text)
			}
			property[name] = number
		case name == "enum":
			given, _ := property["enum"].([]any)
			property["enum"] = append(given, literal(property, text))
		case name == "default":
			property["default"] = literal(property, text)
		default:
			return invalid("%s: the tag jsonschema knows no `%s`", place, name)
		}
	}
	return nil
}

// parts are the parts of a tag between commas without a backslash before them.
func parts(tag string) []string {
	var found []string
	var part strings.Builder
	for i := 0; i < len(tag); i++ {
		switch {
		case tag[i] == '\\' && i+1 < len(tag) && tag[i+1] == ',':
			part.WriteByte(',')
			i++
		case tag[i] == ',':
			found = append(found, part.String())
			part.Reset()
		default:
			part.WriteByte(tag[i])
		}
	}
	return append(found, part.String())
}

// literal is a value of a tag: a text where the schema is one, JSON otherwise.
func literal(property schema, text string) any {
	kinds, _ := property["type"].([]string)
	if property["type"] == "string" || slices.Contains(kinds, "string") {
		return text
	}
	var value any
	if decode([]byte(text), &value, "a value") != nil {
		return text
	}
	return value
}
