package toolmesh

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// What nobody has documented is missing in the reference, which is what `go doc` tells.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range must(filepath.Glob("*.go"))(t) {
		if !strings.HasSuffix(path, "_test.go") {
			files = append(files, must(parser.ParseFile(set, path, nil, parser.ParseComments))(t))
		}
	}
	library := must(doc.NewFromFiles(set, files, "toolmesh"))(t)
	documented := map[string]string{"package": library.Doc}
	values := append(library.Consts, library.Vars...)
	functions := library.Funcs
	for _, kind := range library.Types {
		documented[kind.Name] = kind.Doc
		values = append(append(values, kind.Consts...), kind.Vars...)
		functions = append(append(functions, kind.Funcs...), kind.Methods...)
		for _, part := range kind.Decl.Specs {
			fields(documented, kind.Name, part.(*ast.TypeSpec))
		}
	}
	for _, function := range functions {
		documented[function.Recv+"."+function.Name] = function.Doc
	}
	for _, group := range values {
		for _, part := range group.Decl.Specs {
			value := part.(*ast.ValueSpec)
			documented[value.Names[0].Name] = group.Doc + value.Doc.Text()
		}
	}
	for name, text := range documented {
		if text == "" {
			t.Errorf("%s has no documentation", name)
		}
	}
	if len(documented) < 100 {
		t.Fatalf("only %d names were found", len(documented))
	}
}

func fields(documented map[string]string, name string, kind *ast.TypeSpec) {
	structure, ok := kind.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range structure.Fields.List {
		for _, one := range field.Names {
			if one.IsExported() {
				documented[name+"."+one.Name] = field.Doc.Text()
			}
		}
	}
}
