package page

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/racebench/racebench/internal/report"
)

// plot is numbers as a picture, and as a table.
type plot struct {
	Title   string
	Legend  string // how to read the picture
	Picture template.HTML
	Head    []string
	Rows    [][]string
}

const (
	plotLeft, plotWidth, plotRow = 210, 640, 20
	plotRight                    = 150 // for the numbers
)

// canvas is a picture of rows with a scale.
type canvas struct {
	strings.Builder
	rows int
}

func (c *canvas) y() int { return c.rows*plotRow + plotRow/2 }

func (c *canvas) label(text, class string) {
	fmt.Fprintf(c, `<text x="%d" y="%d" text-anchor="end" class="%s">%s</text>`, plotLeft-10, c.y()+4, class, html.EscapeString(text))
}

func (c *canvas) say(x float64, text, class string) {
	fmt.Fprintf(c, `<text x="%.1f" y="%d" class="%s">%s</text>`, x, c.y()+4, class, html.EscapeString(text))
}

func (c *canvas) svg(title string, under int) template.HTML {
	height := c.rows*plotRow + under
	return template.HTML(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" aria-label="%s" width="%d" height="%d" viewBox="0 0 %[2]d %[3]d">`,
		html.EscapeString(title), plotLeft+plotWidth+plotRight, height) + c.String() + "</svg>")
}

// strategyPlots compare the strategies on each race: how many executions until the first violation, on a scale of powers.
func strategyPlots(x *report.TimeToBug) []plot {
	var out []plot
	for from := 0; from < len(x.Rows); {
		first, to := x.Rows[from], from+1
		for to < len(x.Rows) && x.Rows[to].Scenario == first.Scenario && x.Rows[to].Impl == first.Impl && x.Rows[to].Variant == first.Variant && x.Rows[to].Actors == first.Actors {
			to++
		}
		out = append(out, strategyPlot(x.Rows[from:to], x.Max))
		from = to
	}
	return out
}

func strategyPlot(rows []report.Search, most int) plot {
	p := plot{Legend: "A dot is the median of the trials, its line goes from the least to the most; a hollow dot: not every trial found one.", Head: []string{"strategy", "mean", "median", "least", "most", "found in"}}
	title := []string{rows[0].Scenario, rows[0].Name + ":", "executions to the first violation,", rows[0].Impl}
	if rows[0].Variant != "" {
		title = append(title, rows[0].Variant)
	}
	if rows[0].Actors != 0 {
		title = append(title, fmt.Sprintf("%d actors", rows[0].Actors))
	}
	p.Title = strings.Join(title, " ")
	if rows[0].Needs != "" {
		p.Title += ", " + rows[0].Needs
	}
	decades := max(math.Ceil(math.Log10(float64(max(most, 10)))), 1)
	at := func(n float64) float64 { return plotLeft + plotWidth*math.Log10(max(n, 1))/decades }
	c := &canvas{}
	for d := 0.0; d <= decades; d++ {
		x := at(math.Pow(10, d))
		fmt.Fprintf(c, `<line class="grid" x1="%.1f" y1="0" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle" class="dim">%s</text>`,
			x, x, len(rows)*plotRow, x, len(rows)*plotRow+16, strconv.Itoa(int(math.Pow(10, d))))
	}
	for i, s := range rows {
		c.rows = i
		c.label(s.Strategy, "")
		found := fmt.Sprintf("%d of %d trials", s.Found, s.Trials)
		switch {
		case s.Exhausted:
			found = "none is there"
			c.say(at(1)+8, found, "dim")
		case s.Found == 0:
			fmt.Fprintf(c, `<path class="open" d="M%.1f %d l8 5 -8 5z"/>`, at(s.Mean), c.y()-5)
			c.say(at(s.Mean)+14, fmt.Sprintf("more than %s", number(s.Mean)), "dim")
		default:
			class := ""
			if s.Found < s.Trials {
				class = "open"
			}
			fmt.Fprintf(c, `<g><title>%s: mean %s, median %s, from %d to %d, %s</title><line class="range" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><circle class="%s" cx="%.1f" cy="%d" r="4.5"/></g>`,
				html.EscapeString(s.Strategy), number(s.Mean), number(s.Median), s.Least, s.Most, found, at(float64(s.Least)), c.y(), at(float64(s.Most)), c.y(), class, at(s.Median), c.y())
			text := number(s.Median)
			if s.Found < s.Trials {
				text = "over " + text
			}
			c.say(at(float64(s.Most))+10, text, "")
		}
		p.Rows = append(p.Rows, []string{s.Strategy, number(s.Mean), number(s.Median), strconv.Itoa(s.Least), strconv.Itoa(s.Most), found})
	}
	c.rows = len(rows)
	p.Picture = c.svg(p.Title, 24)
	return p
}

// measurementPlot draws a measurement as bars.
func measurementPlot(m *report.Measurement) plot {
	p := plot{Title: m.Scenario + ": " + m.Title, Head: []string{m.X}}
	for _, s := range m.Series {
		p.Head = append(p.Head, seriesName(s))
	}
	most := 0.0
	for _, r := range m.Rows {
		for _, v := range r.Values {
			most = max(most, v)
		}
	}
	c := &canvas{}
	for _, r := range m.Rows {
		cells := []string{strconv.Itoa(r.Actors)}
		c.label(fmt.Sprintf("%d %s", r.Actors, m.X), "head")
		c.rows++
		for i, v := range r.Values {
			width := 0.0
			if most > 0 {
				width = plotWidth * v / most
			}
			c.label(shorten(seriesName(m.Series[i]), 30), "dim")
			fmt.Fprintf(c, `<rect class="series s%d" x="%d" y="%d" width="%.1f" height="%d"/>`, i%3, plotLeft, c.y()-6, width, 12)
			text := number(v) + " " + m.Unit
			c.say(plotLeft+width+8, text, "")
			cells = append(cells, text)
			c.rows++
		}
		p.Rows = append(p.Rows, cells)
	}
	p.Picture = c.svg(p.Title, 4)
	return p
}

func seriesName(s report.Series) string {
	if s.Variant == "" {
		return s.Impl
	}
	return s.Impl + ", " + s.Variant
}

func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// number is as short as it can be.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
