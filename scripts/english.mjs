// Words with a plainer one, in the lines that a branch changes. A report for readers: it never fails.
//   node scripts/english.mjs [BASE]     the lines since BASE (default: main, else the last commit)
//   node scripts/english.mjs --sample SEED [DOCSTRINGS ERRORS PARAGRAPHS]     a draw for a second reader
//   node scripts/english.mjs --pages     words of each folder of pages, with its "you" and its tables
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 27 })

/** Patterns of words and what is plainer. Each hit is a candidate: a reader decides. */
const plainer = [
  ['a string; messages', /\b(a text|texts)\b/i],
  ['an array; X[]', /\b(a list(?! of)|lists? of)\b/i],
  ['sends a request to, calls', /\bask(s|ed)? (the |a |another )?(model|server)\b/i],
  ['gets a request; is prompted', /\b(is|are) asked\b/i],
  ['requests', /\basks for\b/i],
  ['responds, returns', /\b(server|service)s? answer(s|ed)?\b/i],
  ['reply (model), result (tool), response (HTTP), decision (user)', /\b(the|an) answer\b/i],
  ['gets, is notified', /\b(learns|hears|reads so)\b/i],
  ['the model gets X', /\bthe model reads\b/i],
  ['contains; applies', /\bholds\b/i],
  ['is in; represents', /\bstands?\b/i],
  ['adds, returns', /\b(brings?|brought)\b/i],
  ['has, supports', /\bknows\b/i],
  ['returns, passes', /\bgives\b/i],
  ['replaces', /\btakes? the place of\b/i],
  ['continues', /\b(go(es)? on|going on)\b/i],
  ['is sent back', /\bgo(es)? back\b/i],
  ['has ended', /\b(is|are) over\b/i],
  ['exists, is set', /\b(is|are|must be) there\b/i],
  ['immediately, or: concurrently', /\bat once\b/i],
  ['in one call', /\bin one go\b/i],
  ['per run, per step', /\bonce a (run|step)\b/i],
  ['is not a X', /\b(is|are) no (?!longer|more|such)\w+/i],
  ['no tool ran', /\bnothing (was run|ran|runs)\b/i],
  ['repeat the noun', /\b(those (of|that|with|in)|that of)\b/i],
  ['another, a different X', /\b(an)?other one\b/i],
  ['this, these; or name it', /\bsuch\b(?! as\b)/i],
  ['including, even', /, also (in|of|for|after|if|when|with|from)\b/i],
  ['its own; your', /\bof (its|their|your) own\b|\bof (yours|ours)\b/i],
  ['unchanged', /\bas (it (is|stands)|they (are|stand))\b/i],
  ['as the model wrote it', /\bas (it was|the model) made\b/i],
  ['instead of', /\bin place of\b/i],
  ['next to, with, as well as', /\bbesides?\b/i],
  ['as text', /\b(in|as) words\b/i],
  ['its text, wording', /\b(its|their|the) words\b/i],
  ['image', /\bpictures?\b/i],
  ['audio', /\bsounds?\b/i],
  ['URL, host', /\baddress(es)?\b/i],
  ['result, status', /\boutcomes?\b/i],
  ['numbers, results', /\bfigures?\b/i],
  ['problems, bugs', /\bfaults?\b/i],
  ['error', /\bmistakes?\b/i],
  ['omitted', /\b(left out|leaves? out)\b/i],
  ['is pending', /\bwaits? for (a|the|an) (decision|approval|person)\b/i],
  ['a user, someone', /\ba person\b/i],
  ['rejects', /\brefus(e|es|ed|al)\b/i],
  ['full, entire', /\bwhole\b/i],
  ['starts', /\bbegins?\b/i],
  ['0 or more', /\bfrom \d+ up\b/i],
  ['other, more, extra', /\bfurther\b/i],
  ['counts toward, is', /\bcounts? (for|as|against)\b/i],
  ['name the thing', /^\s*(\/\*\*|\*)?\s*(What|Who|Whose|Where|Which|When|How|Why)\b/],
  [
    'say it directly',
    /\b(thereby|therein|hence|whereof|nought|anew|whoever|whatsoever|of its own accord|set aside)\b/i,
  ],
]

/** Words that users may write, as data. */
const vocabularies =
  /^(packages\/painter\/|packages\/service\/src\/plan\/|packages\/speech\/|scripts\/english\.mjs|CHANGELOG\.md)/
const isProse = (file) =>
  (/\.md$/.test(file) || /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file)) &&
  !/\.test(-d)?\.tsx?$/.test(file) &&
  !vocabularies.test(file)

/** Returns the plainer words for the added lines of a diff, with the place of each. */
export function reportOf(diff) {
  const found = []
  let file = ''
  let line = 0
  for (const text of diff.split('\n')) {
    const [, name] = /^\+\+\+ b\/(.*)$/.exec(text) ?? []
    const [, start] = /^@@ -\S+ \+(\d+)/.exec(text) ?? []
    if (name) file = name
    else if (start) line = Number(start)
    else if (text.startsWith('+')) {
      if (isProse(file))
        for (const { word, plain } of hitsIn(file, text.slice(1)))
          found.push(`${file}:${line} "${word}": ${plain}`)
      line++
    }
  }
  return found
}

function hitsIn(file, line) {
  // Of code only comments and texts.
  const prose = file.endsWith('.md') ? line : (line.match(/\/\/.*|\/?\*.*|'[^']*'|`[^`]*`/g) ?? []).join(' ')
  return plainer.flatMap(([plain, pattern]) => {
    const word = pattern.exec(prose)?.[0]
    return word ? [{ word: word.trim(), plain }] : []
  })
}

/** Returns docstrings with the line below, errors and paragraphs of the repository, by a seed. */
export function sampleOf(seed, [docstrings, errors, paragraphs]) {
  const random = generator(seed)
  sampled ??= textsOf(git('ls-files').split('\n'))
  return {
    docstrings: drawn(sampled.docstrings, docstrings, random),
    errors: drawn(sampled.errors, errors, random),
    paragraphs: drawn(sampled.paragraphs, paragraphs, random),
  }
}

/** All texts that can be drawn. Reading them takes seconds, and each draw is from the same. */
let sampled

function textsOf(files) {
  const sources = files.filter(
    (file) =>
      /^packages\/(?!bench|painter|speech|protocols)[^/]+\/src\/.*\.tsx?$/.test(file) &&
      !/\.test(-d)?\.tsx?$/.test(file) &&
      !vocabularies.test(file),
  )
  return {
    docstrings: sources.flatMap(docstringsIn),
    errors: sources.flatMap(errorsIn),
    paragraphs: pageFiles().flatMap(paragraphsIn),
  }
}

const read = (file) => readFileSync(join(root, file), 'utf8')
const pageFiles = () =>
  git('ls-files')
    .split('\n')
    .filter((file) => /^(docs\/.*|README|packages\/[^/]+\/README)\.md$/.test(file))
const lineAt = (text, index) => text.slice(0, index).split('\n').length

function docstringsIn(file) {
  const text = read(file)
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\/\s*([^\n]*)/g)].map(({ 1: said, 2: below, index }) => {
    return `${file}:${lineAt(text, index)} ${said.replaceAll(/\s*\n\s*\*\s?/g, ' ').trim()}\n      ${below}`
  })
}

/** The errors of a file: the calls of error classes, with what their message is made of. */
function errorsIn(file) {
  return errorCallsIn(file).map(({ line, text }) => `${file}:${line} ${text}`)
}

const quickly = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }

const callsOfFiles = new Map()

/** Returns each call of an error class, with its message and how many characters of it the code has. */
export function errorCallsIn(file) {
  const known = callsOfFiles.get(file)
  if (known) return known
  const found = readErrorCalls(file)
  callsOfFiles.set(file, found)
  return found
}

function readErrorCalls(file) {
  const text = read(file)
  if (!/\bnew \S*(Error|Failure)/.test(text)) return []
  const source = ts.createSourceFile(file, text, quickly, true)
  const found = []
  const visit = (node) => {
    if (ts.isNewExpression(node) && /(Error|Failure)$/.test(node.expression.getText(source)))
      for (const argument of node.arguments ?? []) {
        const pieces = piecesOf(argument)
        const said = pieces.join('…')
        if (said.includes(' '))
          found.push({
            line: source.getLineAndCharacterOfPosition(argument.getStart(source)).line + 1,
            text: said,
            length: pieces.reduce((sum, one) => sum + one.length, 0),
          })
      }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** The fixed pieces of a message. A constant, also of a template, is looked up; of two choices the longer one counts. */
function piecesOf(node, depth = 0) {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node))
    return [
      node.head.text,
      ...node.templateSpans.flatMap(({ expression, literal }) => [
        ...piecesOf(expression, depth + 1),
        literal.text,
      ]),
    ]
  if (ts.isBinaryExpression(node)) return [...piecesOf(node.left, depth), ...piecesOf(node.right, depth)]
  if (ts.isParenthesizedExpression(node)) return piecesOf(node.expression, depth)
  if (ts.isConditionalExpression(node)) {
    const [a, b] = [piecesOf(node.whenTrue, depth), piecesOf(node.whenFalse, depth)]
    return a.join('').length >= b.join('').length ? a : b
  }
  return ts.isIdentifier(node) && depth < 3 ? piecesOfName(node, depth) : []
}

function piecesOfName(name, depth) {
  for (let scope = name.parent; scope; scope = scope.parent) {
    if (ts.isFunctionLike(scope) && scope.parameters.some((one) => one.name.getText() === name.text))
      return []
    for (const statement of ts.isBlock(scope) || ts.isSourceFile(scope) ? scope.statements : [])
      if (ts.isVariableStatement(statement))
        for (const one of statement.declarationList.declarations)
          if (one.name.getText() === name.text && one.initializer) return piecesOf(one.initializer, depth + 1)
  }
  return []
}

function paragraphsIn(file) {
  const text = read(file).replaceAll(/```[\s\S]*?```/g, (block) => block.replaceAll(/[^\n]/g, ''))
  return [...text.matchAll(/(?:^|\n\n)([A-Z*`-][^\n|]{80,}(?:\n(?!\n)[^\n]+)*)/g)].map(
    ({ 1: said, index }) => `${file}:${lineAt(text, index) + 2} ${said}`,
  )
}

/** Counts the words of a page without its code, those in its tables, and how often it says "you". */
export function countsOf(page) {
  const prose = page.replaceAll(/^\s*```[\s\S]*?^\s*```$/gm, '').replaceAll(/^<!--.*-->$/gm, '')
  const wordsIn = (text) => text.split(/[\s|]+/).filter((word) => /\w/.test(word)).length
  const rows = prose.split('\n').filter((line) => line.startsWith('|'))
  const you = prose.replaceAll(/`[^`]*`/g, '').match(/\byou(r|rs)?\b/gi) ?? []
  return { words: wordsIn(prose), table: wordsIn(rows.join('\n')), you: you.length }
}

function pagesByFolder() {
  const sums = {}
  for (const file of pageFiles()) {
    const folder = file.startsWith('packages/') ? 'packages' : dirname(file)
    sums[folder] ??= { words: 0, table: 0, you: 0 }
    for (const [name, count] of Object.entries(countsOf(read(file)))) sums[folder][name] += count
  }
  return Object.entries(sums).map(([folder, { words, table, you }]) => {
    const share = Math.round((100 * table) / words)
    return `${folder}: ${words} words, "you" ${((1000 * you) / words).toFixed(1)} times in 1,000, ${share} % in tables`
  })
}

/** A seeded generator of numbers from 0 to 1: mulberry32. */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function drawn(all, count, random) {
  const left = [...all]
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0],
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [first, ...rest] = process.argv.slice(2)
  if (first === '--sample') {
    const [seed = 1, ...counts] = rest.map(Number)
    const parts = sampleOf(seed, [counts[0] ?? 60, counts[1] ?? 40, counts[2] ?? 20])
    for (const [name, list] of Object.entries(parts))
      console.log(`\n== ${name}, seed ${seed}\n\n${list.map((one, at) => `${at + 1}. ${one}`).join('\n')}`)
  } else if (first === '--pages') {
    console.log(pagesByFolder().join('\n'))
  } else {
    const lines = reportOf(git('diff', '-U0', first ?? base()))
    console.log(
      [...lines, `${lines.length} lines to look at. Each is a candidate: keep what is right.`].join('\n'),
    )
  }
}

function base() {
  const isThere = git('branch', '--list', 'main').trim() !== ''
  return isThere ? git('merge-base', 'HEAD', 'main').trim() : 'HEAD~1'
}
