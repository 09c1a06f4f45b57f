// Decides requests by policies with the two libraries that Argo CD uses for that: Casbin, and gobwas/glob.
// Reads jobs as JSON from standard input and writes a list of answers for each.
package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	"github.com/casbin/casbin/v2/util"
	"github.com/gobwas/glob"
)

const text = `
[request_definition]
r = sub, res, act, obj
[policy_definition]
p = sub, res, act, obj, eft
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = g(r.sub, p.sub) && match(r.res, p.res) && match(r.act, p.act) && match(r.obj, p.obj)
`

type job struct {
	Policy   string
	Regex    bool
	Requests [][]string
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	dec := json.NewDecoder(in)
	enc := json.NewEncoder(os.Stdout)
	for dec.More() {
		var j job
		if err := dec.Decode(&j); err != nil {
			panic(err)
		}
		m, _ := model.NewModelFromString(text)
		for _, line := range strings.Split(j.Policy, "\n") {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			r := csv.NewReader(strings.NewReader(line))
			r.TrimLeadingSpace = true
			f, err := r.Read()
			if err != nil {
				panic(err)
			}
			m[f[0][:1]][f[0]].Policy = append(m[f[0][:1]][f[0]].Policy, f[1:])
		}
		e, err := casbin.NewEnforcer(m)
		if err != nil {
			panic(err)
		}
		if err := e.BuildRoleLinks(); err != nil {
			panic(err)
		}
		match := func(args ...any) (any, error) {
			g, err := glob.Compile(args[1].(string))
			if err != nil {
				return false, nil
			}
			return g.Match(args[0].(string)), nil
		}
		if j.Regex {
			match = util.RegexMatchFunc
		}
		e.AddFunction("match", match)
		var out []bool
		for _, q := range j.Requests {
			ok, err := e.Enforce(q[0], q[1], q[2], q[3])
			out = append(out, ok && err == nil)
		}
		enc.Encode(out)
	}
}
