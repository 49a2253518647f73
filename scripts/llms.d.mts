export const siteAddress: string
export function llmsFiles(): Readonly<Record<'llms.txt' | 'llms-full.txt', string>>
