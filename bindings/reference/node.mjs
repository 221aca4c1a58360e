// Writes the API reference of the package for Node to standard output, from its type declarations alone: every public name with its
// declaration and its documentation. A public name without documentation is an error.
//
// The one argument is the file of the declarations.
import { readFileSync } from 'node:fs'

const TITLE = `# API reference of Toolmesh for Node

Written by \`cargo xtask reference\` from the package's type declarations; an editor shows the same. How things go together is in the
[README](README.md). Times are in the unit that a name tells (\`Ms\`).
`

/** The text of a comment, a line a paragraph. */
const words = (comment) =>
  comment
    .replace(/^\s*\/\*\*|\*\/\s*$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s?/, '').trim())
    .join(' ')
    .trim()

/** The declarations of a text, each with the comment before it; comments within one belong to its members. */
function* declarations(text) {
  const lines = text.split('\n')
  let comment
  for (let at = 0; at < lines.length; at += 1) {
    const begin = at
    const taken = () => lines.slice(begin, at + 1).join('\n')
    if (lines[at].trim() === '' || lines[at].startsWith('///')) continue
    if (lines[at].trim().startsWith('/**')) {
      while (!lines[at].includes('*/')) at += 1
      comment = words(taken())
      continue
    }
    while (depth(taken()) > 0 || lines[at + 1]?.trim().startsWith('|')) at += 1
    yield { text: taken().trim(), comment }
    comment = undefined
  }
}

const depth = (text) => (text.match(/[{([]/g) ?? []).length - (text.match(/[})\]]/g) ?? []).length

const required = (comment, what) => {
  if (comment === undefined || comment === '') throw new Error(`${what} has no documentation`)
  return comment
}

/** The body of a declaration that has one, without its braces. */
function bodyOf(text) {
  if (!/^export (declare )?(class|interface|const \w+: \{)/.test(text) || !text.includes('\n')) return undefined
  return text.slice(text.indexOf('\n') + 1, text.lastIndexOf('}'))
}

function* page(text) {
  yield TITLE
  for (const { text: declaration, comment } of declarations(text)) {
    const name = /^export (?:declare )?(?:class|interface|type|function|const) (\w+)/.exec(declaration)?.[1]
    if (name === undefined) throw new Error(`this is no export: ${declaration}`)
    const body = bodyOf(declaration)
    const head = body === undefined ? declaration : declaration.slice(0, declaration.indexOf('\n')).replace(/:?\s*\{$/, '')
    yield `## \`${name}\`\n`
    yield `\`\`\`ts\n${head.replace(/^export (declare )?/, '').replace(/ \{\}$/, '')}\n\`\`\`\n`
    yield `${required(comment, name)}\n`
    const members = body === undefined ? [] : [...declarations(body)]
    const shown = members.filter((member) => !member.text.startsWith('private '))
    for (const member of shown) yield `- \`${member.text}\`: ${required(member.comment, `${name}: ${member.text}`)}`
    if (shown.length > 0) yield ''
  }
}

process.stdout.write(`${[...page(readFileSync(process.argv[2], 'utf8'))].join('\n').trimEnd()}\n`)
