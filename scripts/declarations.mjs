// Programs of a user's own over all that the packages export, whose declarations TypeScript must be able to write.
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { runIn } from './run-in.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The entries of all public packages, each with the file of its source. */
function publicEntries() {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
    if (manifest.private) return []
    return Object.entries(manifest.exports ?? {})
      .filter(([, { development }]) => development)
      .map(([path, { development }]) => ({
        name: join(manifest.name, path),
        file: join(root, 'packages', folder, development),
      }))
  })
}

/** The program over each entry, by the name of the entry, and one with types as a program infers them. */
export function declaringPrograms() {
  const written = readFileSync(join(root, 'test/declarations/program.ts'), 'utf8')
  const made = publicEntries().map(({ name, file }) => [name, programOver(name, file)])
  return new Map([['@capstan/core and others', written], ...made])
}

/**
 * Writes the declarations of programs, by name, in a folder that can import the packages. Resolves to the errors.
 * Nothing else is checked: an expression that makes no sense is no error.
 */
export async function declarationErrors(folder, programs, { compiler, extension = 'mts', options = {} }) {
  const source = mkdtempSync(join(folder, 'declaring-'))
  const files = [...programs].map(([name, program]) => {
    const file = `${name.replace(/\W+/g, '-')}.${extension}`
    writeFileSync(join(source, file), program)
    return file
  })
  const compilerOptions = {
    ...{ strict: true, target: 'es2023', module: 'nodenext', types: ['node'], skipLibCheck: true },
    ...{ declaration: true, emitDeclarationOnly: true, noCheck: true, rootDir: '.', outDir: 'out' },
    ...options,
  }
  writeFileSync(join(source, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const said = await runIn(source, 'node', [
    join(root, 'node_modules', compiler, 'bin/tsc'),
    '-p',
    '.',
  ]).catch(({ cause, message }) => (cause.stdout?.includes('error TS') ? cause.stdout : message))
  return said.split('\n').filter((line) => line.trim() && !isTheirs(line))
}

/** What openai and vitest do not export cannot be named where one of their objects is copied. */
function isTheirs(line) {
  return /'(MediaClientOptions|ServiceTest|test)\d+\w*' .*(openai|vitest)/.test(line)
}

/**
 * The program over an entry: for each function and class a function that returns what it returns, as it is, awaited and
 * copied, and for each type its members. Types without arguments are any, or parameters of the program's own.
 */
function programOver(entry, file) {
  const lines = [`import * as entry from '${entry}'`, 'declare const any: any']
  for (const [name, node] of exportsOf(file))
    for (const [parameters, value] of valuesOf(`entry.${name}`, node)) {
      const at = `export const ${name}${lines.length}`
      lines.push(
        `${at} = [${parameters} => ${value}, ${parameters} => ({ ...${value} })]`,
        `${at}awaited = async ${parameters} => ({ ...(await ${value}) })`,
      )
    }
  return `${lines.join('\n')}\n`
}

/** The declarations that a file exports, by name; those of other packages are tested with them. */
function* exportsOf(file) {
  for (const statement of parse(file).statements) {
    if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier?.text ?? ''
      if (!from.startsWith('.')) continue
      if (!statement.exportClause) yield* exportsOf(join(dirname(file), from).replace(/\.js$/, '.ts'))
      for (const { name, propertyName } of statement.exportClause?.elements ?? [])
        yield [name.text, find(join(dirname(file), from), (propertyName ?? name).text)]
    } else if (statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
      for (const node of statement.declarationList?.declarations ?? [statement]) yield [node.name.text, node]
  }
}

function find(path, name) {
  const file = path.replace(/\.js$/, '.ts')
  for (const [exported, node] of exportsOf(file)) if (exported === name) return node
  throw new Error(`${file} does not export ${name}`)
}

const parsed = new Map()

function parse(file) {
  if (!parsed.has(file))
    parsed.set(file, ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest))
  return parsed.get(file)
}

/** Expressions over an export, each with the parameters it needs. */
function* valuesOf(name, node) {
  if (ts.isFunctionDeclaration(node)) yield ['()', `${name}(${node.parameters.map(() => 'any')})`]
  else if (ts.isClassDeclaration(node)) yield ['()', `new ${name}(any, any, any)`]
  // It may be an object, or a function.
  else if (ts.isVariableDeclaration(node)) yield* [name, `${name}(any)`].map((value) => ['()', value])
  if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node) && !ts.isClassDeclaration(node))
    return
  const parameters = (node.typeParameters ?? []).map((_, at) => `T${at}`)
  const own = parameters.length ? `<${parameters}>` : ''
  const members = (node.members ?? []).filter((member) => member.name && ts.isIdentifier(member.name))
  for (const type of new Set([
    `(value: ${name}${own.replace(/\w+/g, 'any')})`,
    `${own}(value: ${name}${own})`,
  ]))
    for (const value of ['value', 'value(any)', ...members.map((member) => `value.${member.name.text}`)])
      yield [type, value]
}
