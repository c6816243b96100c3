package cli

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"parley/internal/event"
)

// budgetFlag describes --budget.
const budgetFlag = "end the run before the request that would come after this `AMOUNT`: of tokens sent and received, such as 200k or 1.5M, or of money, such as $0.50"

// allowance reads --budget. An empty one is wrong, too: it is what an unquoted $5 is to a shell.
func allowance(text string) (*event.Allowance, error) {
	wrong := usage("--budget %s: it is a number of tokens above 0, such as 200k or 1.5M, or of dollars, such as '$0.50' or 0.50usd", text)
	number, money := strings.CutPrefix(text, "$")
	if !money {
		number, money = strings.CutSuffix(strings.ToLower(text), "usd")
	}
	number = strings.TrimSpace(number)
	factor := 1.0
	switch {
	case money:
		factor = 1e6
	case strings.HasSuffix(number, "k"):
		number, factor = number[:len(number)-1], 1e3
	case strings.HasSuffix(number, "m") || strings.HasSuffix(number, "M"):
		number, factor = number[:len(number)-1], 1e6
	}
	n, err := strconv.ParseFloat(number, 64)
	if amount := math.Round(n * factor); err != nil || !(amount >= 1 && amount <= 1e15) {
		return nil, wrong
	} else if money {
		return &event.Allowance{Cost: int64(amount)}, nil
	} else {
		return &event.Allowance{Tokens: int(amount)}, nil
	}
}

// schemaFile reads --schema. What is in it is the daemon's to judge.
func schemaFile(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, exit{1, fmt.Errorf("--schema: %w", err)}
	}
	if strings.TrimSpace(string(text)) == "" {
		return nil, usage("--schema %s: the file is empty", name)
	}
	return text, nil
}
