# The event log.

function Get-WinEvent {
    [CmdletBinding()]
    param([hashtable]$FilterHashtable, [int]$MaxEvents)
    $found = @(Read-Section events | Where-Object {
            (-not $FilterHashtable['LogName'] -or $_.LogName -eq $FilterHashtable['LogName']) -and (-not $FilterHashtable['ProviderName'] -or $_.ProviderName -eq $FilterHashtable['ProviderName'])
        } | Select-Object -First $MaxEvents)
    if ($found.Count -eq 0) {
        $exception = [System.Exception]::new('Es wurden keine Ereignisse gefunden, die den angegebenen Auswahlkriterien entsprechen.')
        $PSCmdlet.WriteError([System.Management.Automation.ErrorRecord]::new($exception, 'NoMatchingEventsFound,Microsoft.PowerShell.Commands.GetWinEventCommand', 'ObjectNotFound', $null))
    }
    foreach ($row in $found) {
        [pscustomobject]@{ TimeCreated = ConvertTo-Time $row.TimeCreated; LogName = $row.LogName; ProviderName = $row.ProviderName; Id = $row.Id; LevelDisplayName = $row.LevelDisplayName; Message = $row.Message }
    }
}
