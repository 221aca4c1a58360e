package toolmesh

import (
	"fmt"
	"reflect"
)

// root is the name of the type that the document is of.
const root = "#"

// named is a type with a name, which may contain itself. It is a definition of the document if it does, a struct in any case.
func (s *schemas) named(of reflect.Type, place string) (schema, error) {
	name, isKnown := s.names[of]
	switch {
	case name != "":
		return reference(name), nil
	case isKnown:
		return reference(s.define(of)), nil
	}
	s.names[of] = ""
	if of.Kind() == reflect.Struct {
		s.define(of)
	}
	derived, err := s.inline(of, place)
	if err != nil {
		return nil, err
	}
	if name = s.names[of]; name != "" {
		s.definitions[name] = derived
		return reference(name), nil
	}
	delete(s.names, of)
	return derived, nil
}

// define gives a type the name of a definition.
func (s *schemas) define(of reflect.Type) string {
	name := of.Name()
	for _, taken := s.definitions[name]; taken; _, taken = s.definitions[name] {
		name += "_"
	}
	s.names[of], s.definitions[name] = name, schema{}
	return name
}

func reference(name string) schema {
	if name == root {
		return schema{"$ref": root}
	}
	return schema{"$ref": root + "/$defs/" + escaped(name)}
}

// isPointerLoop is whether a type is nothing but pointers that lead back to it: no JSON but null can be read into it.
func isPointerLoop(of reflect.Type) bool {
	seen := make(map[reflect.Type]bool)
	for ; of.Kind() == reflect.Pointer && !seen[of]; of = of.Elem() {
		seen[of] = true
	}
	return seen[of]
}

// escaped is a name within a reference: names of generic types have brackets, dots and slashes in them.
func escaped(name string) string {
	escaped := ""
	for _, letter := range []byte(name) {
		switch {
		case letter == '~':
			escaped += "~0"
		case letter == '/':
			escaped += "~1"
		case letter == '_', letter == '.', letter == '-', letter >= '0' && letter <= '9',
			letter >= 'A' && letter <= 'Z', letter >= 'a' && letter <= 'z':
			escaped += string(rune(letter))
		default:
			escaped += fmt.Sprintf("%%%02X", letter)
		}
	}
	return escaped
}
