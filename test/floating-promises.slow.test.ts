import { relative, resolve } from 'node:path'
import ts from 'typescript'
import { beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const { config } = ts.readConfigFile(resolve(root, 'tsconfig.json'), ts.sys.readFile)
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const served = fileNames.filter(
  (name) => /packages\/(http\/src|mcp\/src\/server)\//.test(name) && !name.endsWith('.test.ts'),
)

const floating = [
  'begin()',
  'void begin()',
  'work.then(count)',
  'work.then(count, count)',
  'work.then(count).finally(() => count(1))',
  'work.catch(count)',
  'work.catch((error) => { count(error) })',
  'work.catch(() => {}).then(count)',
  'count(1) > 1 && work.then(count)',
  'if (count(1)) work.finally(() => {})',
  'const kept = work.then(count); export { kept }',
  'count(work.then(count))',
  'later(() => begin())',
  'later(async () => { await work })',
  'later(begin)',
  'listen({ end: () => begin() })',
  'listen({ async end() { await work } })',
  'listen({ end() {}, fail: begin })',
]

const handled = [
  'await begin()',
  'await work.then(count)',
  'work.catch(() => {})',
  'begin().then(count).finally(() => count(1)).catch(() => {})',
  'export const done = (): Promise<number> => work.then(count)',
  'export function done() { return work.then(count).finally(() => {}) }',
  'export const kept = work',
  'count(1) > 1 && work.then(count).catch(() => {})',
  'later(() => { begin().catch(() => {}) })',
  'later(() => count(1))',
  'listen({ end: () => void count(1) })',
]

const declared = `
  declare const work: Promise<number>
  declare function begin(): Promise<void>
  declare function count(given: unknown): number
  declare function later(then: () => void): void
  declare function listen(to: { end(): void; fail?: () => void }): void
`

/** Samples in files of their own, beside those that are served: the compiler is started once for all. */
const samples = new Map(
  [...floating, ...handled].map((statement, at) => [resolve(root, 'test', `sample-${at}.ts`), statement]),
)
let found: ReadonlyMap<string, readonly string[]>

beforeAll(() => {
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.getSourceFile = (name, target, ...rest) => {
    const sample = samples.get(name)
    if (sample === undefined) return getSourceFile(name, target, ...rest)
    return ts.createSourceFile(name, `${declared}${sample}\nexport {}`, target, true)
  }
  host.fileExists = (name) => samples.has(name) || fileExists(name)
  found = floatingPromises(ts.createProgram([...served, ...samples.keys()], options, host))
}, 600_000)

// A rejection that nothing handles ends the process, and with it the runs of all users.
test('every promise in the servers is awaited, returned, or dropped with a catch that does nothing', () => {
  expect(served.length).toBeGreaterThan(35)
  expect(served.flatMap((name) => found.get(name) ?? [`${name} was not read`])).toEqual([])
})

test.each(floating)('finds %s', (statement) => {
  expect(foundIn(statement)).toHaveLength(1)
})

test.each(handled)('has nothing to say of %s', (statement) => {
  expect(foundIn(statement)).toEqual([])
})

function foundIn(statement: string): readonly string[] | undefined {
  const [name = ''] = [...samples].find(([, sample]) => sample === statement) ?? []
  return found.get(name)
}

/** Where a promise may reject with nothing to handle it, by file, as `FILE:LINE: TEXT`. */
function floatingPromises(program: ts.Program): ReadonlyMap<string, readonly string[]> {
  const checker = program.getTypeChecker()
  const found = new Set<ts.Node>()

  const isPromise = (type: ts.Type) => checker.getPropertyOfType(type, 'then') !== undefined
  const typesOf = (type: ts.Type) => (type.isUnion() ? type.types : [type])
  const returned = (type: ts.Type) =>
    typesOf(type).flatMap((one) => one.getCallSignatures().map((signature) => signature.getReturnType()))

  /** The parts of an expression that is dropped, each of which may be its value. */
  const drop = (dropped: ts.Expression): void => {
    const node = ts.isParenthesizedExpression(dropped) ? dropped.expression : dropped
    if (ts.isVoidExpression(node)) return
    if (ts.isConditionalExpression(node)) {
      drop(node.whenTrue)
      drop(node.whenFalse)
    } else if (ts.isBinaryExpression(node) && isLogical(node)) drop(node.right)
    else if (
      typesOf(checker.getTypeAtLocation(node)).some(isPromise) &&
      !isAssignment(node) &&
      !isCaught(node)
    )
      found.add(node)
  }

  /** A chain makes a promise of its own: one that is held in a variable may reject before it is awaited. */
  const follow = (call: ts.CallExpression): void => {
    if (!isLinkOf(call, ['then', 'finally']) || !isPromise(checker.getTypeAtLocation(call))) return
    const whole = wholeChain(call)
    if (!isAwaitedOrReturned(whole) && !isDropped(whole) && !isCaught(whole)) found.add(whole)
  }

  /** A function that returns a promise, in the place of one whose result nobody takes. */
  const pass = (value: ts.Expression | ts.MethodDeclaration): void => {
    const expected = ts.isMethodDeclaration(value) ? expectedOf(value) : checker.getContextualType(value)
    if (!expected) return
    const wanted = returned(checker.getNonNullableType(expected))
    const isIgnored = wanted.length > 0 && wanted.every((type) => (type.flags & ts.TypeFlags.Void) !== 0)
    if (isIgnored && returned(checker.getTypeAtLocation(value)).some(isPromise)) found.add(value)
  }

  const expectedOf = ({ parent, name }: ts.MethodDeclaration) => {
    const whole = ts.isObjectLiteralExpression(parent) ? checker.getContextualType(parent) : undefined
    const property = whole && checker.getPropertyOfType(whole, name.getText())
    return property && checker.getTypeOfSymbol(property)
  }

  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node) || ts.isVoidExpression(node)) drop(node.expression)
    if (ts.isCallExpression(node)) follow(node)
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) node.arguments?.forEach(pass)
    if (ts.isPropertyAssignment(node)) pass(node.initializer)
    if (ts.isMethodDeclaration(node)) pass(node)
    ts.forEachChild(node, visit)
  }
  const foundIn = (name: string) => {
    found.clear()
    const source = program.getSourceFile(name)
    if (source) visit(source)
    return [...found].map((node) => toLine(node, name))
  }
  return new Map(program.getRootFileNames().map((name) => [name, foundIn(name)]))
}

function toLine(node: ts.Node, name: string): string {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
  return `${relative(root, name)}:${line + 1}: ${node.getText().slice(0, 100)}`
}

function isLogical({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  const { AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken, CommaToken } = ts.SyntaxKind
  return [AmpersandAmpersandToken, BarBarToken, QuestionQuestionToken, CommaToken].includes(kind as number)
}

function isAssignment(node: ts.Node): boolean {
  return ts.isBinaryExpression(node) && !isLogical(node)
}

/** Whether it ends in `.catch(() => {})`: a handler that does anything may throw. */
function isCaught(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) || !isLinkOf(node, ['catch'])) return false
  const [handler] = node.arguments
  if (!handler || !ts.isArrowFunction(handler)) return false
  return ts.isBlock(handler.body) && handler.body.statements.length === 0
}

function isLinkOf({ expression }: ts.CallExpression, names: readonly string[]): boolean {
  return ts.isPropertyAccessExpression(expression) && names.includes(expression.name.text)
}

/** The last call of a chain of `then`, `catch` and `finally`, with what wraps it. */
function wholeChain(call: ts.Expression): ts.Expression {
  const { parent } = call
  if (ts.isParenthesizedExpression(parent)) return wholeChain(parent)
  const next = ts.isPropertyAccessExpression(parent) && parent.expression === call ? parent.parent : undefined
  const isLink = next && ts.isCallExpression(next) && isLinkOf(next, ['then', 'catch', 'finally'])
  return isLink ? wholeChain(next) : call
}

function isAwaitedOrReturned(node: ts.Expression): boolean {
  const { parent } = node
  return (
    ts.isAwaitExpression(parent) ||
    ts.isReturnStatement(parent) ||
    (ts.isArrowFunction(parent) && parent.body === node)
  )
}

/** Then it is looked at as what is dropped. */
function isDropped({ parent }: ts.Node): boolean {
  if (ts.isBinaryExpression(parent)) return isLogical(parent) && isDropped(parent)
  return ts.isExpressionStatement(parent) || ts.isVoidExpression(parent)
}
