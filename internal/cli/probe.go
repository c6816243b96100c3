package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// askModels reads the list of models of an OpenAI-compatible server: GET
// BASE/models, {"data":[{"id":…}]}.
func askModels(base string, client *http.Client) ([]string, bool) {
	res, err := client.Get(strings.TrimRight(base, "/") + "/models")
	if err != nil {
		return nil, false
	}
	defer res.Body.Close()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&list) != nil {
		return nil, false
	}
	names := make([]string, len(list.Data))
	for i, m := range list.Data {
		names[i] = m.ID
	}
	return names, true
}
