import type { LinkNode, Links } from '@portcullis/client';
import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type SimulationNodeDatum,
} from 'd3-force';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { withEntity } from '../entity/path.ts';
import { Icon } from '../parts/icons.tsx';
import { useAddressQuery } from '../parts/use-address.ts';
import { userPath } from '../users/path.ts';
import { NODE_ICONS, NODE_WORDS } from './nodes.ts';

interface Placed extends SimulationNodeDatum {
  readonly node: LinkNode;
}
/** How large the picture is, beside other things or alone. */
const SIZES = { small: [420, 300], large: [700, 420] } as const;
const TICKS = 260;
const MARGIN = 30;
const MAX_LABEL = 13;

/** Stretches places to fill the picture, at most twofold. */
const fitTo = (values: readonly number[], size: number): ((value: number) => number) => {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const scale = Math.min(2, (size - 2 * MARGIN) / Math.max(1, high - low));
  return (value) => size / 2 + (value - (low + high) / 2) * scale;
};

/** Places the nodes once: a picture that moves is hard to read. The start is fixed, so the same links give the same picture. */
const layOut = ({ nodes, edges }: Links, [width, height]: readonly [number, number]) => {
  const placed = nodes.map(
    (node, index): Placed => ({
      node,
      x: width / 2 + 20 * Math.sqrt(index) * Math.cos(index * 2.4),
      y: height / 2 + 20 * Math.sqrt(index) * Math.sin(index * 2.4),
    }),
  );
  const byId = new Map(placed.map((one) => [one.node.id, one]));
  const lines = edges.flatMap(({ from, to }) => {
    const source = byId.get(from);
    const target = byId.get(to);
    return source === undefined || target === undefined ? [] : [{ source, target }];
  });
  forceSimulation(placed)
    .force('links', forceLink(lines).distance(70).strength(0.5))
    .force('apart', forceManyBody().strength(-320))
    .force('room', forceCollide(34))
    .force('x', forceX(width / 2).strength(0.06))
    .force('y', forceY(height / 2).strength(0.13))
    .stop()
    .tick(TICKS);
  const fitX = fitTo(
    placed.map(({ x = 0 }) => x),
    width,
  );
  const fitY = fitTo(
    placed.map(({ y = 0 }) => y),
    height - 14,
  );
  for (const one of placed) {
    one.x = fitX(one.x as number);
    one.y = fitY(one.y as number);
  }
  return { placed, lines };
};

/** Opens a node, as the list below does. */
const useOpenNode = () => {
  const [, go] = useLocation();
  const search = useAddressQuery();
  return ({ kind, value, hops }: LinkNode): void => {
    if (kind !== 'user') go(`~${location.pathname}${withEntity(search, `${kind}:${value}`)}`);
    else if (hops > 0) go(userPath(value));
  };
};

const labelOf = (value: string): string => (value.length > MAX_LABEL ? `${value.slice(0, MAX_LABEL - 1)}…` : value);

/** Users and what they share. The list below says the same in words. */
export default function Graph({ links, size = 'small' }: { links: Links; size?: keyof typeof SIZES }) {
  const [width, height] = SIZES[size];
  const open = useOpenNode();
  const { placed, lines } = useMemo(() => layOut(links, SIZES[size]), [links, size]);
  const frauds = links.nodes.filter(({ kind, confirmed_fraud }) => kind === 'user' && confirmed_fraud > 0).length;
  return (
    <figure className="graph">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Graph of ${links.nodes.length} linked entities, ${frauds} users with confirmed fraud`}
      >
        {lines.map(({ source, target }) => (
          <line
            key={`${source.node.id}${target.node.id}`}
            x1={source.x}
            y1={source.y}
            x2={target.x}
            y2={target.y}
            stroke={source.node.confirmed_fraud > 0 ? 'var(--block)' : 'var(--line-strong)'}
            strokeWidth={1.2}
          />
        ))}
        {placed.map(({ node, x = 0, y = 0 }) => {
          const isFirst = node.hops === 0;
          const isFraud = node.confirmed_fraud > 0 && !node.hub;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list below has a link for the same
            <g
              key={node.id}
              transform={`translate(${x} ${y})`}
              className={isFirst ? 'node is-first' : isFraud ? 'node is-fraud' : 'node'}
              onClick={() => open(node)}
            >
              <title>{`${NODE_WORDS[node.kind]} ${node.value}: ${node.items} items, ${node.users} users`}</title>
              <circle r={isFirst ? 15 : 12.5} />
              <g transform="translate(-7.5 -7.5)">
                <Icon name={NODE_ICONS[node.kind]} size={15} />
              </g>
              <text y={isFirst ? 27 : 24} textAnchor="middle">
                {node.hub ? `shared by ${node.users}` : labelOf(node.value)}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption className="dim">
        <span className="legend is-fraud" /> confirmed fraud <span className="legend is-first" /> this user
      </figcaption>
    </figure>
  );
}
