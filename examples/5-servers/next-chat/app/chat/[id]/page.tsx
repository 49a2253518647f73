/** @jsxImportSource react */
// #region file
import { StoredChat } from './chat'

export default async function Page({ params }: { readonly params: Promise<{ readonly id: string }> }) {
  const { id } = await params
  return <StoredChat id={id} />
}
// #endregion
