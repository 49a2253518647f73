export function rowsOf(page: string): string[][]
export function neededText(manifest: object): string
