export function changesetsIn(root: string): string[]
export function titleRelease(text: string, version: string, date: string): string
