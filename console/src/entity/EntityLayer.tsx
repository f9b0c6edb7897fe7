import { useLocation } from 'wouter';
import { loadLater } from '../parts/load-later.ts';
import { useAddressQuery } from '../parts/use-address.ts';
import { isEntityKind, withEntity } from './path.ts';

const EntityDrawer = loadLater(() => import('./EntityDrawer.tsx'));

/** Shows the entity of the address, such as `entity=device:dvc_1`, beside any page. */
export const EntityLayer = () => {
  const search = useAddressQuery();
  const [, go] = useLocation();
  const entity = new URLSearchParams(search).get('entity');
  const [kind = ''] = entity?.split(':', 1) ?? [];
  const value = entity?.slice(kind.length + 1) ?? '';
  if (!isEntityKind(kind) || value === '') return null;
  return (
    <EntityDrawer
      key={entity}
      kind={kind}
      value={value}
      close={() => go(`~${location.pathname}${withEntity(search, undefined)}`, { replace: true })}
    />
  );
};
