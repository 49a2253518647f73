import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The templates by name, each with a one-sentence description. */
export const templates = {
  tools: 'an agent with two tools',
  media: 'an agent that makes and edits images, speaks and transcribes',
  server: 'an agent behind an HTTP server',
  durable: 'an agent whose runs wait for approval and survive a restart',
  mcp: 'tools for MCP clients, and an agent with the same tools',
} as const

export type TemplateName = keyof typeof templates

/** An invalid command line. The message says how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const packageFolder = new URL('..', import.meta.url)

/**
 * Writes a template's files into a folder, which is created if needed.
 * @throws UsageError if the template is unknown, the path leads to or through a file, the name contains invisible
 * characters, or the folder is not empty
 */
export function createProject(
  folder: string,
  template: string,
): { readonly folder: string; readonly template: TemplateName } {
  if (!isTemplate(template))
    throw new UsageError(
      `Unknown template ${JSON.stringify(template)}. Choose one of: ${Object.keys(templates).join(', ')}.`,
    )
  const shown = visible(folder)
  if (shown !== folder)
    throw new UsageError(`The name "${shown}" contains invisible characters. Choose another.`)
  const to = resolve(folder)
  const file = fileInTheWay(to)
  if (file !== undefined) throw new UsageError(`${file} is a file, not a folder. Choose another.`)
  if (existsSync(to) && readdirSync(to).some((name) => name !== '.git'))
    throw new UsageError(`Folder "${folder}" is not empty. Choose another.`)
  mkdirSync(to, { recursive: true })
  cpSync(new URL(`templates/${template}/`, packageFolder), to, {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules',
  })
  // npm does not include files with this name in packages.
  writeFileSync(join(to, '.gitignore'), 'node_modules/\n.capstan/\noutput/\nruns/\n')
  completeManifest(join(to, 'package.json'), to)
  return { folder: to, template }
}

/** Escapes characters that are invisible in a terminal, such as control characters and direction marks. */
function visible(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`)
}

/** Returns the path or its nearest existing parent, if that is a file. Undefined if it is a folder. */
function fileInTheWay(path: string): string | undefined {
  if (existsSync(path)) return statSync(path).isDirectory() ? undefined : path
  return fileInTheWay(dirname(path))
}

function isTemplate(name: string): name is TemplateName {
  return Object.hasOwn(templates, name)
}

/**
 * Sets the project's name. Sets the version of its Capstan packages to this package's version, because all of them are
 * published together.
 */
function completeManifest(file: string, folder: string): void {
  const { version } = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8'))
  const text = readFileSync(file, 'utf8')
    .replace('"name": "template"', `"name": ${JSON.stringify(toPackageName(folder))}`)
    .replaceAll(/("@capstan\/\w+": )"\*"/g, `$1"^${version}"`)
  writeFileSync(file, text)
}

/** Converts a folder's name to a name that npm accepts. Returns `my-agent` if no characters remain. */
function toPackageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
  return name || 'my-agent'
}
