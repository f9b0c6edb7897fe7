import { type GeoProjection, geoArea, geoCentroid, geoGraticule10, geoMercator, geoPath } from 'd3-geo';
import type { Feature, FeatureCollection, MultiPoint, MultiPolygon, Polygon } from 'geojson';
import { useMemo } from 'react';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import world from 'world-atlas/countries-110m.json';
import { formatCountry } from '../parts/format.ts';
import { COUNTRY_NUMBERS, SMALL_PLACES } from './country-numbers.ts';
import type { MapProps } from './WhereMap.tsx';

type Point = readonly [lon: number, lat: number];
type Country = Feature<Polygon | MultiPolygon>;

const WIDTH = 420;
const HEIGHT = 240;
/** Room for dots and labels at the edge. */
const MARGIN = 46;
/** The smallest part of the world that is shown: nobody knows a street from an address. */
const LEAST_DEGREES = 20;

const topology = world as unknown as Topology<{ countries: GeometryCollection }>;
const countries = (feature(topology, topology.objects.countries) as FeatureCollection<Polygon | MultiPolygon>).features;
const byNumber = new Map(countries.map((one) => [one.id, one]));

/** The middle of the largest part, which overseas islands do not move. */
const middleOf = ({ geometry }: Country): Point => {
  if (geometry.type === 'Polygon') return geoCentroid(geometry);
  const parts = geometry.coordinates.map((coordinates): Polygon => ({ type: 'Polygon', coordinates }));
  return geoCentroid(parts.reduce((best, part) => (geoArea(part) > geoArea(best) ? part : best)));
};
const countryOf = (code: string): Country | undefined => {
  const number = COUNTRY_NUMBERS.get(code);
  return number === undefined ? undefined : byNumber.get(number);
};
const placeOf = (code: string): Point | undefined => {
  const country = countryOf(code);
  return country === undefined ? SMALL_PLACES[code] : middleOf(country);
};

/** Shows all points, with some of the world around them. */
const fit = (points: readonly Point[]): GeoProjection => {
  const around = points.flatMap(([lon, lat]) => [
    [lon - LEAST_DEGREES, lat - LEAST_DEGREES / 2],
    [lon + LEAST_DEGREES, lat + LEAST_DEGREES / 2],
  ]);
  const all: MultiPoint = {
    type: 'MultiPoint',
    coordinates: around.map(([lon = 0, lat = 0]) => [lon, Math.max(-70, Math.min(78, lat))]),
  };
  return geoMercator().fitExtent(
    [
      [MARGIN / 2, MARGIN / 2],
      [WIDTH - MARGIN / 2, HEIGHT - MARGIN / 2],
    ],
    all,
  );
};

/** Countries that were seen, and the place in question, with an arc from the most usual one. */
export default function PlaceMap({ countries: seen, here, label }: MapProps) {
  const drawn = useMemo(() => {
    const places = seen.flatMap(({ value, items }) => {
      const point = placeOf(value);
      return point === undefined ? [] : [{ code: value, items, point }];
    });
    const point: Point | undefined = here && [here.lon, here.lat];
    const projection = fit([...places.map((one) => one.point), ...(point === undefined ? [] : [point])]);
    return { places, point, projection, path: geoPath(projection) };
  }, [seen, here]);
  const { places, point, projection, path } = drawn;
  if (places.length === 0 && point === undefined) return null;
  const most = Math.max(1, ...places.map(({ items }) => items));
  const usual = places.toSorted((a, b) => b.items - a.items)[0];
  const marked = new Set(places.flatMap(({ code }) => countryOf(code) ?? []));
  const xy = (one: Point): [number, number] => projection([...one]) ?? [0, 0];
  const arc =
    usual !== undefined && point !== undefined
      ? path({ type: 'LineString', coordinates: [[...usual.point], [...point]] })
      : null;
  const side = (x: number): 'start' | 'end' => (x > WIDTH * 0.72 ? 'end' : 'start');
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path d={path(geoGraticule10()) ?? ''} className="map-grid" />
      {countries.map((one, at) => (
        <path key={at} d={path(one) ?? ''} className={marked.has(one) ? 'map-land is-seen' : 'map-land'} />
      ))}
      {arc !== null && <path d={arc} className="map-arc" />}
      {places.map(({ code, items, point: at }) => {
        const [x, y] = xy(at);
        const radius = 4 + 5 * Math.sqrt(items / most);
        return (
          <g key={code} transform={`translate(${x} ${y})`}>
            <title>{`${formatCountry(code)}: ${items}`}</title>
            <circle r={radius + 4} className="map-halo" />
            <circle r={radius} className="map-dot" />
            {(code === usual?.code || places.length <= 4) && (
              <text x={side(x) === 'end' ? -radius - 7 : radius + 7} y={4} textAnchor={side(x)}>
                {formatCountry(code)}
              </text>
            )}
          </g>
        );
      })}
      {point !== undefined && here !== undefined && (
        <g transform={`translate(${xy(point).join(' ')})`}>
          <circle r={11} className="map-halo is-here" />
          <circle r={6.5} className="map-dot is-here" />
          <text x={side(xy(point)[0]) === 'end' ? -14 : 14} y={4} textAnchor={side(xy(point)[0])}>
            {here.label}
          </text>
        </g>
      )}
    </svg>
  );
}
