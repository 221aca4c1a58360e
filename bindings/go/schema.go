package toolmesh

import (
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"time"
)

// JSONSchemer is a type that tells its own schema, in the place of the one that would be derived.
type JSONSchemer interface {
	// JSONSchema is the schema, as JSON.
	JSONSchema() json.RawMessage
}

// SchemaFor is the JSON Schema (2020-12) of what encoding/json reads into a T: what registering a tool uses for arguments.
//
// Integers carry the bounds of their type. A []byte is base64, a time.Time a date-time, a type with MarshalText a text, an
// interface without methods, a json.RawMessage anything. Structs are objects of their fields and no others, named by their json
// tags; a field is optional when it has omitempty or omitzero, or is a pointer. Pointers, slices and maps may be null, as nil ones
// are written; T itself may not, since a call has arguments. Types may contain themselves. A tag `description:"..."` describes a
// field; a tag `jsonschema:"..."` has, separated by commas, title, description, format, pattern, minLength, maxLength, minimum,
// maximum, minItems, maxItems, enum (once a value) and default, as name=value; a backslash stands before a comma that belongs to
// the value.
//
// What has no JSON form (a channel, or a pointer to nothing but itself), or one that cannot be known (a type with MarshalJSON of
// its own), is an [ErrInvalid] that names the field; such a type may be a [JSONSchemer].
func SchemaFor[T any]() (json.RawMessage, error) {
	return schemaOf(reflect.TypeFor[T](), reads)
}

// direction is whether a schema tells what is read into a type, or what is written of it: a result may be null as a whole.
type direction bool

const (
	reads  direction = false
	writes direction = true
)

// schema is a JSON Schema under way; encoding/json writes its members in the order of their names.
type schema map[string]any

// schemas derives one document.
type schemas struct {
	definitions map[string]schema
	// names are the definitions of types: those under way as well, which is how a type may contain itself. A type under way to
	// which nothing refers has an empty one.
	names map[reflect.Type]string
}

func schemaOf(of reflect.Type, direction direction) (json.RawMessage, error) {
	document := schemas{make(map[string]schema), make(map[reflect.Type]string)}
	whole, err := document.whole(of, direction)
	if err != nil {
		return nil, err
	}
	if len(document.definitions) > 0 {
		whole["$defs"] = document.definitions
	}
	return encode(whole, "a schema")
}

// whole is the schema of the type that the document is of.
func (s *schemas) whole(of reflect.Type, direction direction) (schema, error) {
	for direction == reads && of.Kind() == reflect.Pointer && !isPointerLoop(of) {
		of = of.Elem()
	}
	place := of.String()
	if isPlainStruct(of) {
		s.names[of] = root
		return s.object(of, place)
	}
	if direction == writes {
		return s.of(of, place)
	}
	if known, ok, err := s.special(of, place); ok || err != nil {
		return known, err
	}
	return s.form(of, place)
}

var (
	schemerType     = reflect.TypeFor[JSONSchemer]()
	marshalerType   = reflect.TypeFor[json.Marshaler]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	textType        = reflect.TypeFor[encoding.TextMarshaler]()
	unTextType      = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType        = reflect.TypeFor[time.Time]()
	rawType         = reflect.TypeFor[json.RawMessage]()
	numberType      = reflect.TypeFor[json.Number]()
)

// of is the schema of a type within another; place says where it stands, for errors.
func (s *schemas) of(of reflect.Type, place string) (schema, error) {
	if known, ok, err := s.special(of, place); ok || err != nil {
		return known, err
	}
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Struct:
		if of.Name() != "" {
			return s.named(of, place)
		}
	}
	return s.inline(of, place)
}

// inline is the schema of a type where it stands: what may be nil is null then.
func (s *schemas) inline(of reflect.Type, place string) (schema, error) {
	form, err := s.form(of, place)
	if err != nil {
		return nil, err
	}
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return nullable(form), nil
	}
	return form, nil
}

// form is the schema of a type that is not nil.
func (s *schemas) form(of reflect.Type, place string) (schema, error) {
	switch of.Kind() {
	case reflect.Bool:
		return schema{"type": "boolean"}, nil
	case reflect.String:
		return schema{"type": "string"}, nil
	case reflect.Float32, reflect.Float64:
		return schema{"type": "number"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return integer(of), nil
	case reflect.Pointer:
		if isPointerLoop(of) {
			return nil, underivable(of, place, "it points to nothing but itself")
		}
		return s.of(of.Elem(), place)
	case reflect.Slice, reflect.Array:
		return s.list(of, place)
	case reflect.Map:
		return s.mapping(of, place)
	case reflect.Struct:
		return s.object(of, place)
	case reflect.Interface:
		if of.NumMethod() == 0 {
			return schema{}, nil
		}
	}
	return nil, underivable(of, place, "it has no JSON form")
}

// special is the schema of a type that says itself how it is written.
func (s *schemas) special(of reflect.Type, place string) (known schema, ok bool, err error) {
	switch of {
	case timeType:
		return schema{"type": "string", "format": "date-time"}, true, nil
	case rawType:
		return schema{}, true, nil
	case numberType:
		return schema{"type": "number"}, true, nil
	}
	if of.Kind() == reflect.Pointer || of.Kind() == reflect.Interface {
		return nil, false, nil
	}
	switch {
	case implements(of, schemerType):
		told := reflect.New(of).Interface().(JSONSchemer).JSONSchema()
		err := decode(told, &known, "the schema of "+of.String())
		return known, true, err
	case implements(of, marshalerType), implements(of, unmarshalerType):
		return nil, true, underivable(of, place, "it has a JSON form of its own")
	case implements(of, textType), implements(of, unTextType):
		return schema{"type": "string"}, true, nil
	}
	return nil, false, nil
}

func implements(of, what reflect.Type) bool {
	return of.Implements(what) || reflect.PointerTo(of).Implements(what)
}

// isPlainStruct is whether a type is an object of its fields.
func isPlainStruct(of reflect.Type) bool {
	return of.Kind() == reflect.Struct && of != timeType && !implements(of, schemerType) &&
		!implements(of, marshalerType) && !implements(of, unmarshalerType) && !implements(of, textType) &&
		!implements(of, unTextType)
}

// integer is an integer within the bounds of its type, so that what fits the schema fits the type.
func integer(of reflect.Type) schema {
	bits := of.Bits()
	if of.Kind() >= reflect.Uint && of.Kind() <= reflect.Uintptr {
		most := uint64(math.MaxUint64) >> (64 - bits)
		return schema{"type": "integer", "minimum": 0, "maximum": json.Number(strconv.FormatUint(most, 10))}
	}
	most := int64(math.MaxInt64) >> (64 - bits)
	return schema{
		"type": "integer", "minimum": json.Number(strconv.FormatInt(-most-1, 10)),
		"maximum": json.Number(strconv.FormatInt(most, 10)),
	}
}

func nullable(of schema) schema {
	if _, isNullable := of["type"].([]string); isNullable || len(of) == 0 {
		return of
	}
	if kind, ok := of["type"].(string); ok && of["enum"] == nil {
		of["type"] = []string{kind, "null"}
		return of
	}
	return schema{"anyOf": []schema{of, {"type": "null"}}}
}

func (s *schemas) list(of reflect.Type, place string) (schema, error) {
	if of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Uint8 &&
		!implements(of.Elem(), marshalerType) && !implements(of.Elem(), textType) {
		return schema{"type": "string", "contentEncoding": "base64"}, nil
	}
	items, err := s.of(of.Elem(), place+"[]")
	if err != nil {
		return nil, err
	}
	if of.Kind() == reflect.Array {
		return schema{"type": "array", "items": items, "minItems": of.Len(), "maxItems": of.Len()}, nil
	}
	return schema{"type": "array", "items": items}, nil
}

func (s *schemas) mapping(of reflect.Type, place string) (schema, error) {
	values, err := s.of(of.Elem(), place+"[]")
	if err != nil {
		return nil, err
	}
	object := schema{"type": "object", "additionalProperties": values}
	switch kind := of.Key().Kind(); {
	case implements(of.Key(), textType), kind == reflect.String:
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		object["propertyNames"] = schema{"pattern": "^-?[0-9]+$"}
	default:
		return nil, underivable(of, place, "the keys of a JSON object are texts")
	}
	return object, nil
}

func underivable(of reflect.Type, place, why string) error {
	return invalid("%s: there is no JSON Schema of %s (%s); give the schema yourself", place, of, why)
}
