export interface DeclarationOptions {
  readonly compiler: 'typescript' | 'typescript7'
  readonly extension?: 'mts' | 'cts' | 'ts'
  readonly options?: Readonly<Record<string, unknown>>
}

export function declaringPrograms(): ReadonlyMap<string, string>
export function declarationErrors(
  folder: string,
  programs: ReadonlyMap<string, string>,
  options: DeclarationOptions,
): Promise<readonly string[]>
