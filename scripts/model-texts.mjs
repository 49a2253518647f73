// The texts that models read, from the source: of results, notes, messages, tools and parameters. Compares the page
// docs/reference/model-texts.md, or writes it: node scripts/model-texts.mjs [--write].
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { samplesFor } from './model-text-samples.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const page = 'docs/reference/model-texts.md'
const packages = ['core', 'media', 'tools', 'code', 'mcp', 'http']

/** Calls whose argument is for the model, by the name of what is called, with the place of the argument. */
const calls = {
  errorResult: 1,
  rejectedResult: 0,
  deniedResult: 0,
  hiddenFailure: 0,
  ToolError: 0,
  deny: 0,
  ask: 0,
  describe: 0,
}
/** Files whose errors are thrown while a tool runs: the model gets their messages. */
const thrownInTools =
  /^packages\/(media\/src\/(tools|images|audio)\/|media\/src\/inputs\/(fetch-url|folder-files|resolve-input)|tools\/src\/(files\/|skills\/skill-tools|openapi\/(send-request|read-response|write-body))|code\/src\/run-program|mcp\/src\/client\/(tool|result|questions))/
/** The comment of a declaration or statement whose texts are for the model. */
const marked = /\bTexts? for the model\b/

/** Returns the texts by file, in the order of the source. In each, code stands as `${code}`. */
export function modelTexts() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => packages.includes(file.split('/')[1]) && /\/src\/.*\.ts$/.test(file))
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
  return files.flatMap((file) => {
    const texts = textsIn(file)
    return texts.length === 0 ? [] : [{ file, texts }]
  })
}

/** Returns the page: each text with its file, and sample values in place of code. */
export function modelTextsPage(found = modelTexts()) {
  const parts = packages.flatMap((name) => {
    const own = found.filter(({ file }) => file.startsWith(`packages/${name}/`))
    if (own.length === 0) return []
    const lists = own.map(({ file, texts }) => {
      const lines = texts.map((text) => `- ${quoted(withSamples(text, samplesFor(file)))}`)
      return `### ${file.replace(/^packages\/\w+\/src\//, '')}\n\n${lines.join('\n')}\n`
    })
    return [`## @capstan/${name}\n\n${lists.join('\n')}`]
  })
  return `${head}\n${parts.join('\n')}`
}

const head = `# Texts that models read

This page lists every string that Capstan itself sends to a model, by package and source file. Values inside the strings are samples or, in braces, names. If a call failed, its result starts with \`Error: \`. Line breaks are shown as ⏎.

\`node scripts/model-texts.mjs --write\` generates this page from the source, and a test checks that the page is up to date. If you change one of the strings in the source, run the script again.
`

function textsIn(file) {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = []
  const add = (expression) => {
    for (const one of alternatives(expression)) if (isText(one)) found.push(one.trim())
  }
  const visit = (node) => {
    for (const one of forModel(node, file)) add(one)
    if (isMarked(node, source)) for (const one of textsOf(node)) add(one)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...new Set(found)]
}

/** Whether a text has words of its own. */
function isText(text) {
  const own = text.replaceAll(/\$\{[^}]*\}/g, '').replaceAll(/[^\p{L}]+/gu, ' ')
  return own.trim().length > 3 && /\s|\w\.$/.test(text.trim()) && !/^(an?|true or) \S+$/.test(text)
}

/** Returns the expressions of a node whose values are sent to models. */
function forModel(node, file) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const name = nameOf(node.expression)
    const [, message] = node.arguments ?? []
    const isMethod = ts.isPropertyAccessExpression(node.expression)
    if (Object.hasOwn(calls, name) && (name !== 'describe' || isMethod))
      return given(node.arguments?.[calls[name]])
    const isThrown = name === 'CapstanError' && thrownInTools.test(file)
    const isMarkedError = name === 'CapstanError' && nameOf(node.parent.expression) === 'forModel'
    return isThrown || isMarkedError ? given(message) : []
  }
  // A default: `{ description = 'Hand the conversation over.' }`.
  if (ts.isBindingElement(node) && node.name.getText() === 'description') return given(node.initializer)
  if (!ts.isPropertyAssignment(node)) return []
  const name = node.name.getText()
  const { properties } = node.parent
  const has = (key, value) =>
    properties.some(
      (one) => one.name?.getText() === key && (!value || value.test(one.initializer?.getText() ?? '')),
    )
  if (name === 'description' && ['type', 'parameters', 'inputSchema', 'name'].some((key) => has(key)))
    return [node.initializer]
  // Of a value that does not match its schema.
  if (name === 'issues') return stringsIn(node.initializer)
  // Of the result of a tool.
  if (name === 'note') return [node.initializer]
  return (name === 'content' || name === 'text') && has('role', /^'(user|tool)'/) ? [node.initializer] : []
}

function given(expression) {
  return expression ? [expression] : []
}

function nameOf(expression) {
  if (!expression) return ''
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
}

function isMarked(node, source) {
  if (!ts.isStatement(node)) return false
  const comments = ts.getLeadingCommentRanges(source.text, node.pos) ?? []
  return comments.some(({ pos, end }) => marked.test(source.text.slice(pos, end)))
}

/** What a function returns, or the outermost texts of another statement. */
function textsOf(node) {
  return ts.isFunctionDeclaration(node) ? returnsOf(node.body) : stringsIn(node)
}

function stringsIn(node) {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return [node]
  const found = []
  ts.forEachChild(node, (child) => void found.push(...stringsIn(child)))
  return found
}

const most = 8

/** Returns the texts that an expression may have. What is not written in the file stays code: `${code}`. */
function alternatives(node, depth = 0) {
  return (known(node, depth) ?? [code(node)]).slice(0, most)
}

function code(node) {
  return `\${${shortName(node)}}`
}

/** The name of a value: of `names.join(', ') || 'none'` it is `names`. */
function shortName(node) {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isCallExpression(node)) {
    const {
      expression,
      arguments: [first],
    } = node
    if (ts.isPropertyAccessExpression(expression) && expression.expression.getText() !== 'JSON')
      return shortName(expression.expression)
    return first ? shortName(first) : nameOf(expression)
  }
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.name.text
    return /^(length|message)$/.test(name) && name === 'length'
      ? `number of ${shortName(node.expression)}`
      : name
  }
  if (ts.isElementAccessExpression(node)) return shortName(node.argumentExpression)
  if (ts.isBinaryExpression(node) || ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node))
    return shortName(node.left ?? node.expression)
  return 'value'
}

function known(node, depth) {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node))
    return known(node.expression, depth)
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (texts, span) =>
        texts.flatMap((text) =>
          alternatives(span.expression, depth + 1).map((one) => text + one + span.literal.text),
        ),
      [node.head.text],
    )
  if (ts.isConditionalExpression(node)) {
    const both = [known(node.whenTrue, depth), known(node.whenFalse, depth)]
    return both.some(Boolean)
      ? [...(both[0] ?? [code(node.whenTrue)]), ...(both[1] ?? [code(node.whenFalse)])]
      : undefined
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return alternatives(node.left, depth).flatMap((left) =>
      alternatives(node.right, depth).map((right) => left + right),
    )
  if (ts.isCallExpression(node)) return ofCall(node, depth)
  return ts.isIdentifier(node) && depth < 4 ? ofName(node, depth) : undefined
}

/** `text.trim()` has the text; a function of the file has the texts that it returns. */
function ofCall(node, depth) {
  const { expression } = node
  if (ts.isPropertyAccessExpression(expression) && /^(trim|trimEnd|toWellFormed)$/.test(expression.name.text))
    return known(expression.expression, depth)
  if (!ts.isIdentifier(expression) || depth > 3) return undefined
  const made = node
    .getSourceFile()
    .statements.find((one) => ts.isFunctionDeclaration(one) && one.name?.text === expression.text)
  const texts = returnsOf(made?.body).flatMap((one) => known(one, depth + 1) ?? [])
  return texts.some(isText) ? texts : undefined
}

function returnsOf(body) {
  const found = []
  const visit = (node) => {
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression)
    else if (!ts.isFunctionLike(node)) ts.forEachChild(node, visit)
  }
  if (body) ts.forEachChild(body, visit)
  return found
}

/** The texts of a constant, looked up from the inside out. */
function ofName(name, depth) {
  for (let scope = name.parent; scope; scope = scope.parent) {
    if (ts.isFunctionLike(scope) && scope.parameters.some((one) => binds(one.name, name.text)))
      return undefined
    const statements = ts.isBlock(scope) || ts.isSourceFile(scope) ? scope.statements : []
    for (const statement of statements) {
      if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const))
        continue
      for (const one of statement.declarationList.declarations)
        if (one.name.getText() === name.text && one.initializer) return known(one.initializer, depth + 1)
    }
  }
  return undefined
}

/** Whether a parameter, or a part of it, has a name. */
function binds(pattern, name) {
  if (ts.isIdentifier(pattern)) return pattern.text === name
  return pattern.elements.some((one) => one.name && binds(one.name, name))
}

function withSamples(text, samples) {
  return text.replaceAll(/\$\{([^}]*)\}/g, (_, name) =>
    Object.hasOwn(samples, name) ? samples[name] : `{${name}}`,
  )
}

function quoted(text) {
  const line = text.replaceAll('\n', ' ⏎ ')
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const now = modelTextsPage()
  if (process.argv[2] === '--write') writeFileSync(join(root, page), now)
  else if (readFileSync(join(root, page), 'utf8') !== now)
    throw new Error(`${page} is not true any more. Run node scripts/model-texts.mjs --write.`)
}
