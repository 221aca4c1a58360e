package toolmesh

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// encode writes a value as it crosses: texts stay as they are, and what has no JSON form is refused.
func encode(value any, what string) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, &Error{Kind: ErrJSON, Message: fmt.Sprintf("%s cannot be written as JSON: %v", what, err), cause: err}
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// decode reads a value. Where the type leaves open what a number is, it keeps every digit, as a json.Number. An integer of JSON
// may be spelled 3.0 or 1e2, which encoding/json takes for none; where it stumbles over a number, integers are spelled as it has them.
func decode(text []byte, value any, what string) error {
	err := decodeStrictly(text, value, what)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) && strings.HasPrefix(mistyped.Value, "number") {
		if plain := plainIntegers(text); !bytes.Equal(plain, text) {
			reflect.ValueOf(value).Elem().SetZero()
			return decodeStrictly(plain, value, what)
		}
	}
	return err
}

func decodeStrictly(text []byte, value any, what string) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(value)
	if err == nil {
		if _, more := decoder.Token(); more != io.EOF {
			err = fmt.Errorf("something follows it")
		}
	}
	if err != nil {
		return &Error{Kind: ErrJSON, Message: fmt.Sprintf("%s cannot be read: %v", what, err), cause: err}
	}
	return nil
}
