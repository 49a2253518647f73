export function buildStudioPage(folder?: string): Promise<void>
