type LlmsFiles = Readonly<Record<'llms.txt' | 'llms-full.txt', string>>

export const siteAddress: string
export function llmsFiles(): LlmsFiles
export function llmsFilesOfPackage(): LlmsFiles
