export function licenceNotice(files: readonly string[]): string
