import { readFileSync } from 'node:fs'
import nodeModule from 'node:module'

/** The optional package of drawings: Microsoft's Fluent Emoji in the flat style, under the MIT licence. */
const libraryName = '@iconify-json/fluent-emoji-flat'

let bodies: ReadonlyMap<string, string> | undefined

/** Returns the SVG body of a drawing. Undefined if the package or the drawing is missing. */
export function drawingOf(name: string): string | undefined {
  bodies ??= load()
  return bodies.get(name)
}

/** Whether the package of drawings is installed. */
export function isLibraryInstalled(): boolean {
  return pathOf() !== undefined
}

function load(): ReadonlyMap<string, string> {
  const path = pathOf()
  if (!path) return new Map()
  const { icons }: { icons: Readonly<Record<string, { body: string }>> } = JSON.parse(
    readFileSync(path, 'utf8'),
  )
  return new Map(Object.entries(icons).map(([name, { body }]) => [name, body]))
}

function pathOf(): string | undefined {
  // CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
  const here = import.meta.url ?? __filename
  try {
    return nodeModule.createRequire(here).resolve(`${libraryName}/icons.json`)
  } catch {
    return undefined
  }
}
