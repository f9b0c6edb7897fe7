import type { Links } from '@portcullis/client';
import { Button } from '../parts/Button.tsx';

const CUTS: Readonly<Record<Links['cut'][number], string>> = {
  nodes: 'only the nearest are shown',
  items: 'only the newest items were read',
  hubs: 'widely shared entities are not followed',
  time: 'the search ran out of time',
};

interface Props {
  readonly links: Links;
  readonly again: () => void;
  readonly isSearching: boolean;
}

const Again = ({ links, again, isSearching }: Props) =>
  links.cut.includes('time') && (
    <Button small busy={isSearching} onClick={again}>
      Search again
    </Button>
  );

/** What the graph leaves out. */
export const LinkCuts = (props: Props) =>
  props.links.cut.length > 0 && (
    <p className="dim cuts">
      Incomplete: {props.links.cut.map((cut) => CUTS[cut]).join('; ')}. <Again {...props} />
    </p>
  );

/** A graph of the user alone. A search that ran out of time has not shown that nothing is linked. */
export const NoLinks = (props: Props) => (
  <p className="dim">
    {props.links.cut.includes('time')
      ? 'The search ran out of time before it found anything. '
      : 'No device, address, e-mail or card of this user is known.'}
    <Again {...props} />
  </p>
);
