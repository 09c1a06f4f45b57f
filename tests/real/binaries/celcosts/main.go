// Command celcosts says what expressions cost while they run, by the CEL environment of kube-apiserver.
//
// It reads {"self": ..., "expressions": [...]} and writes a number for each expression, or why there is none.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	Self        map[string]any `json:"self"`
	Expressions []string       `json:"expressions"`
}

func main() {
	var asked question
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		panic(err)
	}
	env, err := set.Env(environment.NewExpressions)
	if err != nil {
		panic(err)
	}
	variables := map[string]any{"self": whole(asked.Self)}
	found := map[string]any{}
	for _, text := range asked.Expressions {
		found[text] = cost(env, text, variables)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

// cost returns what an expression costs as rules and policies are run.
func cost(env *cel.Env, text string, variables map[string]any) (told any) {
	defer func() {
		if problem := recover(); problem != nil {
			told = fmt.Sprintf("panic: %v", problem)
		}
	}()
	ast, issues := env.Compile(text)
	if issues != nil && issues.Err() != nil {
		return issues.Err().Error()
	}
	program, err := env.Program(ast, cel.CostTracking(&library.CostEstimator{}))
	if err != nil {
		return err.Error()
	}
	_, details, err := program.Eval(variables)
	if err != nil {
		return err.Error()
	}
	return *details.ActualCost()
}

// whole makes numbers without a fraction integers, as the decoder of the API server does.
func whole(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		made := map[string]any{}
		for key, one := range typed {
			made[key] = whole(one)
		}
		return made
	case []any:
		made := []any{}
		for _, one := range typed {
			made = append(made, whole(one))
		}
		return made
	case float64:
		if typed == float64(int64(typed)) {
			return int64(typed)
		}
	}
	return value
}
