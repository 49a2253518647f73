import { createJiti } from 'jiti'

/** What a module exports. */
export type Exports = Readonly<Record<string, unknown>>

/** The exports of a TypeScript file, by its URL. It leaves no files behind; packages are imported by Node itself. */
export function byJiti(href: string): Promise<Exports> {
  const options = { fsCache: false, interopDefault: false, jsx: true, tsconfigPaths: true }
  return createJiti(href, options).import<Exports>(href)
}
