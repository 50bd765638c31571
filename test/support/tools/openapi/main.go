// A program of a user who generated a client from the OpenAPI document: client.go, which the build adds to this package. It creates
// a zone with records, reads them, is refused once, and deletes the zone. Prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

type seen struct {
	Zone      string   `json:"zone"`
	Record    string   `json:"record"`
	Records   []string `json:"records"`
	Refused   string   `json:"refused"`
	Stale     string   `json:"stale"`
	Changes   int      `json:"changes"`
	Deleted   int      `json:"deleted"`
	Forgotten string   `json:"forgotten"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("ZONESTEAD_API_KEY"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("ZONESTEAD_URL"), WithRequestEditorFn(authorize))
	if err != nil {
		return err
	}
	zone, err := client.CreateZoneWithResponse(ctx, nil, ZoneCreate{ZoneName: os.Args[1], Owner: &os.Args[2]})
	if err != nil {
		return err
	}
	if zone.JSON200 == nil {
		return fmt.Errorf("createZone: %s %s", zone.Status(), zone.Body)
	}
	id := zone.JSON200.Id
	ttl := 300
	record, err := client.CreateRecordWithResponse(ctx, id, nil, RecordWrite{Name: "www", Type: "A", Content: "192.0.2.1", Ttl: &ttl})
	if err != nil {
		return err
	}
	if record.JSON201 == nil {
		return fmt.Errorf("createRecord: %s %s", record.Status(), record.Body)
	}
	refused, err := client.CreateRecordWithResponse(ctx, id, nil, RecordWrite{Name: "www", Type: "A", Content: "192.0.2.1"})
	if err != nil {
		return err
	}
	if refused.JSON409 == nil {
		return fmt.Errorf("createRecord of a record that exists: %s %s", refused.Status(), refused.Body)
	}
	list, err := client.ListRecordsWithResponse(ctx, id, &ListRecordsParams{})
	if err != nil {
		return err
	}
	if list.JSON200 == nil {
		return fmt.Errorf("listRecords: %s %s", list.Status(), list.Body)
	}
	other := "\"another\""
	stale, err := client.DeleteRecordWithResponse(ctx, id, record.JSON201.Id, &DeleteRecordParams{IfMatch: &other})
	if err != nil {
		return err
	}
	if stale.JSON412 == nil {
		return fmt.Errorf("deleteRecord with another ETag: %s %s", stale.Status(), stale.Body)
	}
	changes, err := client.ListZoneChangesWithResponse(ctx, id, nil)
	if err != nil {
		return err
	}
	if changes.JSON200 == nil {
		return fmt.Errorf("listZoneChanges: %s %s", changes.Status(), changes.Body)
	}
	deleted, err := client.DeleteZoneWithResponse(ctx, id, nil)
	if err != nil {
		return err
	}
	forgotten, err := client.GetZoneWithResponse(ctx, id, nil)
	if err != nil {
		return err
	}
	if forgotten.JSON404 == nil {
		return fmt.Errorf("getZone of a deleted zone: %s %s", forgotten.Status(), forgotten.Body)
	}
	result := seen{
		Zone:      zone.JSON200.ZoneName,
		Record:    fmt.Sprintf("%s %d %s %s", record.JSON201.Name, record.JSON201.Ttl, record.JSON201.Type, record.JSON201.Content),
		Refused:   string(refused.JSON409.Error),
		Stale:     string(stale.JSON412.Error),
		Changes:   len(changes.JSON200.Changes),
		Deleted:   deleted.StatusCode(),
		Forgotten: string(forgotten.JSON404.Error),
	}
	for _, each := range list.JSON200.Records {
		result.Records = append(result.Records, each.Name+" "+each.Type)
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}
