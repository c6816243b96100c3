package llm

import "encoding/json"

// ReadList finds the models in {"data":[{"id":…}]}, which most servers list them in.
func ReadList(body []byte) (names []string, ok bool) {
	var sent struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &sent) != nil || sent.Data == nil {
		return nil, false
	}
	for _, m := range sent.Data {
		names = append(names, m.ID)
	}
	return names, true
}
