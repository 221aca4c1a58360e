module toolmesh

go 1.24
