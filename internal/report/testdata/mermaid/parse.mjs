// Reads a JSON list of diagrams from standard input and prints, for each, null or why Mermaid refuses it.
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

globalThis.window = new JSDOM('').window;
globalThis.document = window.document;
const { default: mermaid } = await import('mermaid');
const out = [];
for (const text of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const { diagramType } = await mermaid.parse(text);
    const d = await mermaid.mermaidAPI.getDiagramFromText(text);
    out.push({ error: diagramType === 'sequence' ? null : diagramType,
      messages: d.db.getMessages().map((m) => (typeof m.message === 'string' ? m.message : '')),
      actors: [...d.db.getActors().values()].map((a) => a.description) });
  } catch (e) {
    out.push({ error: String(e.message) });
  }
}
console.log(JSON.stringify(out));
