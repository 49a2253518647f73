import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

// The floor of plain English: how docstrings begin, words with a plainer one, how long an error is.
const root = fileURLToPath(new URL('..', import.meta.url))
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(md|tsx?)$/.test(file))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const sources = tracked.filter(
  (file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file) && !/\.test(-d)?\.tsx?$/.test(file),
)
const packages = [...new Set(sources.map((file) => file.split('/')[1] ?? ''))]

/** Of 100 docstrings, how many may begin with a question word. */
const mostQuestions = 3
const questionWord = /^(What|Who|Whose|Whom|Where|Which|When|How|Why|Whether|Whatever|Whoever)\b/
/** "Whether …" is how a boolean begins. */
const ofBoolean = /^Whether\b/

/** Words of an idiom that readers do not share, each with the plain one. */
const banned: Readonly<Record<string, RegExp>> = {
  'resume, continue': /\b(go|goes|gone|went|going) on with\b/i,
  'results in, returns': /\b(come|comes|came) (of|to) (it|that|nothing|the same)\b/i,
  again: /\banew\b/i,
  also: /\bbesides\b(?! of)/i,
  'name the actor': /\b(whoever|nobody|somebody|whomever)\b/i,
  'name the thing': /\b(whatsoever|whichever|whatever (it|comes|is|stands|else))\b/i,
  'untrusted source': /\bstrangers?\b/i,
  'repair, fix': /\b(mend|mends|mended|mending)\b/i,
  'respect, follow': /\b(heed|heeds|heeded|heeding)\b/i,
  approval: /\ba yes\b|\byes or (a )?no\b/i,
  'application, your code': /\bthe house('s)?\b/i,
  'text, reply': /\b(answers?|said|told|asked|said) in words\b/i,
  'concurrent(ly), at once': /\bat one time\b/i,
  'release, cancel': /\b(let|lets|letting) go of\b/i,
  forever: /\bfor ever\b/i,
  'is not valid': /\bis no (model|tool|schema|number|text|answer|object|message|state|reply|list|id)\b/i,
  'exist, be': /\bstands? (there|here|in it|in the way)\b/i,
  'as large as': /\bso many\b/i,
  'because, so': /\b(thereby|therein|thereof|whereof|hence|henceforth|wherever it)\b/i,
  'only, except': /\b(nought|naught|save for|but for)\b/i,
  'contain, say': /\bof its own accord\b/i,
  'is not valid, is unknown': /\b(that|what|which) (is|are) none\b/i,
  'from now on': /\bfrom here on\b|\bfrom then on\b/i,
  'set aside': /\bset aside\b/i,
  while: /\bwhilst\b/i,
  between: /\bamidst?\b|\bamongst\b/i,
  'reach, get': /\bgets? hold of\b/i,
  'the caller': /\bthe asker\b|\bwho asks\b/i,
  'take part, matter': /\bcounts for nothing\b/i,
  'old idiom': /\b(the walk|floor plan|the door|the room|the desk|the purse)\b/i,
}

/** Sentences that recordings, and hashes in states, contain: replaying and resuming compare them. */
const recorded =
  /goes on with the conversation|at most 8000 characters at one time|there is no tool|Nobody decided in time/g

const mostCharactersOfError = 140
/** Classes whose second, or only, argument is the message. */
const errorClass = /(Error|Failure)$/

/** Parts of the repository that are still to be rewritten. */
const unwritten: readonly string[] = []
/** Words that users may write, as data. */
const vocabularies = [
  'packages/painter/src/prompt/words.ts',
  'packages/service/src/plan/vocabulary.ts',
  'packages/service/src/plan/words.ts',
  'docs/local-service/painting.md',
  'packages/testing/src/check-tools/check-tools.ts',
]
const isWritten = (file: string) =>
  !unwritten.some((part) => file === part || file.startsWith(`${part}/`) || file === `${part}.md`)

describe.each(packages.filter((name) => isWritten(`packages/${name}`)))('packages/%s', (name) => {
  const files = sources.filter((file) => file.startsWith(`packages/${name}/src/`))

  test(`of 100 docstrings at most ${mostQuestions} begin with a question word`, () => {
    const docstrings = files.flatMap((file) => docstringsOf(file))
    const questions = docstrings.filter(
      ({ text, isBoolean }) => questionWord.test(text) && !(isBoolean && ofBoolean.test(text)),
    )
    const shown = questions.map(({ at, text }) => `${at} ${text.slice(0, 60)}`)
    expect(questions.length / docstrings.length <= mostQuestions / 100 ? [] : shown).toEqual([])
  })

  test(`no error message has more than ${mostCharactersOfError} characters of fixed text`, () => {
    expect(files.flatMap((file) => longErrors(file))).toEqual([])
  })
})

test('no banned words', () => {
  const files = tracked
    .filter((file) => isWritten(file) && !vocabularies.includes(file))
    .filter(
      (file) =>
        sources.includes(file) ||
        /^(docs\/.*|README|CONTRIBUTING|AGENTS|packages\/[^/]+\/README)(\.md)?$/.test(file),
    )
  expect(files.flatMap((file) => bannedIn(file, read(file)))).toEqual([])
})

function docstringsOf(file: string): { at: string; text: string; isBoolean: boolean }[] {
  const text = read(file)
  return [...text.matchAll(/\/\*\*([\s\S]*?)\*\/\s*([^\n]*)/g)].map((match) => ({
    at: `${file}:${text.slice(0, match.index).split('\n').length}`,
    text: (match[1] ?? '').replace(/^[\s*]+/, ''),
    isBoolean: /boolean|\): \w+ is |true|false|\b(is|has|can|may|needs)[A-Z]/.test(match[2] ?? ''),
  }))
}

/** Without comments and parents: they take half of the time. */
const quickly = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
}

function longErrors(file: string): string[] {
  const text = read(file)
  if (!/\bnew \S*(Error|Failure)/.test(text)) return []
  const source = ts.createSourceFile(file, text, quickly)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && errorClass.test(node.expression.getText(source))) {
      for (const argument of node.arguments ?? []) {
        const length = fixedLength(argument)
        const line = source.getLineAndCharacterOfPosition(argument.getStart(source)).line + 1
        if (length > mostCharactersOfError) found.push(`${file}:${line} (${length} characters)`)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** How many characters of a text are written in the code. */
function fixedLength(node: ts.Expression): number {
  if (ts.isStringLiteralLike(node)) return node.text.length
  if (ts.isTemplateExpression(node))
    return (
      node.head.text.length + node.templateSpans.reduce((sum, { literal }) => sum + literal.text.length, 0)
    )
  if (ts.isBinaryExpression(node)) return fixedLength(node.left) + fixedLength(node.right)
  return 0
}

function bannedIn(file: string, text: string): string[] {
  const own = text.replaceAll(recorded, '')
  // A pattern that the text does not have, no line has.
  const had = Object.entries(banned).filter(([, pattern]) => pattern.test(own))
  if (had.length === 0) return []
  return own
    .split('\n')
    .flatMap((line, index) =>
      had
        .filter(([, pattern]) => pattern.test(line))
        .map(([plain, pattern]) => `${file}:${index + 1} "${pattern.exec(line)?.[0]}": ${plain}`),
    )
}
