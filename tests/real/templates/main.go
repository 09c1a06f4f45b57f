// Renders templates with Go's text/template, Sprig and fasttemplate, so that they judge ours.
//
// One case a line comes in as JSON: text, params, options and fast (placeholders instead of Go templates). One answer
// a line goes out: out, error (of parsing or executing) or panic. The functions that Argo CD adds are written here in
// its rules; now is the second 1700000000 of the epoch, so that answers can be kept.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
	"github.com/gosimple/slug"
	"github.com/valyala/fasttemplate"
	"sigs.k8s.io/yaml"
)

type question struct {
	Text    string         `json:"text"`
	Params  map[string]any `json:"params"`
	Options []string       `json:"options"`
	Fast    bool           `json:"fast"`
}

type answer struct {
	Out   *string `json:"out,omitempty"`
	Error string  `json:"error,omitempty"`
	Panic string  `json:"panic,omitempty"`
}

var (
	notInNames = regexp.MustCompile("[^-a-z0-9.]")
	oneLine    = regexp.MustCompile(".*{{.*}}.*")
)

func functions() template.FuncMap {
	all := sprig.GenericFuncMap()
	for _, name := range []string{"env", "expandenv", "getHostByName"} {
		delete(all, name)
	}
	all["now"] = func() time.Time { return time.Unix(1700000000, 0).UTC() }
	all["normalize"] = normalize
	all["slugify"] = slugify
	all["toYaml"] = func(value any) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	all["fromYaml"] = func(text string) (map[string]any, error) {
		value := map[string]any{}
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return nil, err
		}
		return value, nil
	}
	all["fromYamlArray"] = func(text string) ([]any, error) {
		value := []any{}
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return nil, err
		}
		return value, nil
	}
	return all
}

func normalize(name string) string {
	name = notInNames.ReplaceAllString(strings.ToLower(name), "-")
	if len(name) > 253 {
		name = name[:253]
	}
	return strings.Trim(name, "-.")
}

func slugify(args ...any) string {
	size, smart, name := 50, true, ""
	for index, arg := range args {
		switch index {
		case len(args) - 1:
			name = arg.(string)
		case 0:
			size = arg.(int)
		case 1:
			smart = arg.(bool)
		}
	}
	slug.EnableSmartTruncate = smart
	slug.MaxLength = size
	return slug.Make(normalize(name))
}

// typed turns {"$strings": [...]} and {"$stringmap": {...}} into []string and map[string]string.
func typed(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if items, ok := value["$strings"].([]any); ok {
			texts := make([]string, len(items))
			for index, item := range items {
				texts[index] = item.(string)
			}
			return texts
		}
		if members, ok := value["$stringmap"].(map[string]any); ok {
			texts := map[string]string{}
			for key, member := range members {
				texts[key] = member.(string)
			}
			return texts
		}
		for key, member := range value {
			value[key] = typed(member)
		}
	case []any:
		for index, item := range value {
			value[index] = typed(item)
		}
	}
	return value
}

func render(asked question, all template.FuncMap) (told answer) {
	defer func() {
		if caught := recover(); caught != nil {
			told = answer{Panic: fmt.Sprint(caught)}
		}
	}()
	params, _ := typed(asked.Params).(map[string]any)
	if asked.Fast {
		return fast(asked.Text, params)
	}
	parsed, err := template.New("").Funcs(all).Parse(asked.Text)
	if err != nil {
		return answer{Error: err.Error()}
	}
	for _, option := range asked.Options {
		parsed = parsed.Option(option)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, params); err != nil {
		return answer{Error: err.Error()}
	}
	text := out.String()
	return answer{Out: &text}
}

func fast(text string, params map[string]any) answer {
	if !oneLine.MatchString(text) {
		return answer{Out: &text}
	}
	parsed, err := fasttemplate.NewTemplate(text, "{{", "}}")
	if err != nil {
		return answer{Error: err.Error()}
	}
	out := parsed.ExecuteFuncString(func(to io.Writer, tag string) (int, error) {
		name := strings.TrimSpace(tag)
		value, ok := params[name].(string)
		if name == "" || !ok {
			return fmt.Fprintf(to, "{{%s}}", tag)
		}
		return to.Write([]byte(value))
	})
	return answer{Out: &out}
}

func main() {
	all := functions()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := answers.Encode(render(asked, all)); err != nil {
			os.Exit(1)
		}
	}
}
