/** The texts of a source file. */
interface FileTexts {
  readonly file: string
  readonly texts: readonly string[]
}

export function modelTexts(): readonly FileTexts[]
export function modelTextsPage(found?: readonly FileTexts[]): string
